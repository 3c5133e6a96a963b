import { SERVICE_ORIGIN } from '../../audit/origin';
import { ExpiredRows } from './expired-rows';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import { AssertionIssuer } from '../../../test/support/identity-providers/assertion-issuer';
import { newPerson, register } from '../../../test/support/api/consumers';
import { FixedClock } from '../../../test/support/in-process/fixed-clock';
import { TestApp } from '../../../test/support/in-process/test-app';

const EXPIRING = [
  'session',
  'login_attempt',
  'known_address',
  'challenge',
  'pending_registration',
  'send_allowance',
  'send_limit',
  'touchpoint_key',
  'idempotency_record',
  'used_assertion',
];

describe('what has expired', () => {
  const clock = new FixedClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
  });
  afterAll(() => app.close());

  const count = async (table: string): Promise<number> => {
    const [row] = await app.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count FROM ${table}`);
    return row.count;
  };
  const identifySomebody = async () => {
    const issuer = await AssertionIssuer.start(clock);
    const shop = await app.client();
    const keys = { file: JSON.stringify({ keys: [issuer.publicJwk] }) };
    const provider = { issuer: issuer.url, audience: 'shop', keys, trustsEmail: false };
    await app.nest.get(IdentityProvidersService).add(shop.headers['X-Touchpoint-Code'] ?? '', provider, SERVICE_ORIGIN);
    await shop.post('/api/v1/identify', {
      assertion: await issuer.sign({ given_name: 'Ada', family_name: 'Lovelace' }),
    });
    issuer.close();
  };
  const fill = async () => {
    const client = await app.client();
    const { email } = await register(client);
    const login = { identifier: email, password: 'correct horse battery staple' };
    await client.with({ 'X-Consumer-IP': '203.0.113.9' }).post('/api/v1/login', login);
    await client.post('/api/v1/login', { ...login, password: 'wrong' });
    await client.with({ 'Idempotency-Key': 'any' }).post('/api/v1/register', newPerson());
    await (await app.client({ channelProof: ChannelProof.Email })).post('/api/v1/register', newPerson());
    await identifySomebody();
    await app.touchpoints.rotateKey(client.headers['X-Touchpoint-Code'] ?? '', 60, SERVICE_ORIGIN);
  };

  it('is deleted when its time is over, and not before', async () => {
    await fill();
    const before = await Promise.all(EXPIRING.map(count));
    expect(before.every((rows) => rows > 0)).toBe(true);
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await Promise.all(EXPIRING.map(count))).toEqual(before);

    clock.advance({ minutes: 31 * 24 * 60 });
    await app.nest.get(ExpiredRows).deleteAll();
    const after = Object.fromEntries(
      await Promise.all(EXPIRING.map(async (table) => [table, await count(table)] as const)),
    );
    const livingKeys = await app.dataSource.query<unknown[]>('SELECT 1 FROM touchpoint_key WHERE expires_at IS NULL');
    expect(after).toEqual({
      ...Object.fromEntries(EXPIRING.map((table) => [table, 0])),
      touchpoint_key: livingKeys.length,
    });
  });

  it('is deleted of the activity too, to which the service adds meanwhile', async () => {
    const isKept = async () => {
      const rows = await app.dataSource.query<unknown[]>(`SELECT 1 FROM activity WHERE touchpoint = 'gone'`);
      return rows.length > 0;
    };
    await app.dataSource.query(
      `INSERT INTO activity (hour, touchpoint, kind, count) VALUES ($1, 'gone', 'logins', 1)`,
      [clock.now()],
    );
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await isKept()).toBe(true);
    clock.advance({ minutes: 31 * 24 * 60 });
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await isKept()).toBe(false);
  });

  it('is deleted in batches until nothing is left', async () => {
    await app.dataSource.query(
      `INSERT INTO login_attempt SELECT sha256(n::text::bytea), 1, $1 FROM generate_series(1, 2500) n`,
      [clock.now()],
    );
    clock.advance({ minutes: 16 });
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await count('login_attempt')).toBe(0);
  });
});
