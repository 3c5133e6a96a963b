import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import bcrypt from 'bcryptjs';
import { AccountsService } from '../../src/auth/accounts.service';
import { HashingPool } from '../../src/platform/hashing/hashing-pool';
import { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { FixedClock } from '../support/fixed-clock';
import { type ProblemBody, violationsOf } from '../support/problems';
import { Restarts } from '../support/restarts';
import { TestApp } from '../support/test-app';

const DAY = { minutes: 24 * 60 };

describe('POST /api/v1/login', () => {
  const clock = new FixedClock();
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
    client = await app.client();
  });
  afterAll(() => app.close());

  const login = (identifier: unknown, password: unknown = PASSWORD, from = client) =>
    from.post<SessionBody & ProblemBody>('/api/v1/login', { identifier, password });

  const from = (address: string) => client.with({ 'X-Consumer-IP': address });

  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

  const together = <T>(count: number, task: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => task(index)));

  async function failTenTimes(identifier: string, by = client): Promise<void> {
    const answers = await together(10, () => login(identifier, 'a wrong guess', by));
    expect(statuses(answers)).toEqual(Array(10).fill(401));
  }

  async function hashOf(customerId: string): Promise<string> {
    const [row] = await app.dataSource.query<{ hash: string }[]>(
      'SELECT password_hash AS hash FROM credential WHERE consumer_id = $1',
      [customerId],
    );
    return row?.hash ?? '';
  }

  it('takes every spelling of every identifier, at every touchpoint', async () => {
    const { customerId, email } = await register(client, { phone: '+12025550120' });
    const elsewhere = await app.client();
    const identifiers = [email, email.toUpperCase(), '+12025550120', '+1 (202) 555-0120'];
    for (const identifier of [...identifiers, customerId, customerId.toUpperCase()]) {
      const { status, body } = await login(identifier, PASSWORD, elsewhere);
      expect([status, Object.keys(body).sort(), body.customerId]).toEqual([200, ['customerId', 'token'], customerId]);
      expect((await client.as(body.token).get('/api/v1/me')).status).toBe(200);
    }
  });

  it('answers every failure alike, after the same work', async () => {
    const { email, customerId } = await register(client);
    const { customerId: imported } = await register(client);
    await app.dataSource.query('DELETE FROM credential WHERE consumer_id = $1', [imported]);
    const compare = jest.spyOn(app.nest.get(HashingPool), 'compare');
    const identifiers = [
      ...[email, customerId, imported, 'nobody@example.com', '+12025550121'],
      ...['01a1fc6f-0000-7000-8000-000000000000', '00000000-0000-0000-0000-000000000000', 'Ada'],
      ...['ada@', '+1', '\u202e', 'x'.repeat(10_000), "' OR 1=1 --", '%', `${email}, nobody@example.com`],
    ];
    const answers = [];
    for (const identifier of identifiers) answers.push(await login(identifier, 'a wrong guess'));
    expect(statuses(answers)).toEqual(identifiers.map(() => 401));
    expect(new Set(answers.map(({ body }) => JSON.stringify({ ...body, requestId: '' }))).size).toBe(1);
    expect(answers[0]?.body.code).toBe('INVALID_CREDENTIALS');
    expect(answers[0]?.headers.get('WWW-Authenticate')).toBe('Bearer realm="customer"');

    expect(compare).toHaveBeenCalledTimes(identifiers.length);
    const work = compare.mock.calls.map(([, secret, hash]) => [secret.length, hash.length, hash.slice(0, 7)].join());
    expect(new Set(work)).toEqual(new Set(['64,60,$2b$04$']));
    compare.mockRestore();
  });

  it('wants an identifier and a password, both of them text', async () => {
    expect(violationsOf(await client.post('/api/v1/login', {}))).toEqual(['identifier REQUIRED', 'password REQUIRED']);
    expect(violationsOf(await login('', ''))).toEqual(['identifier TOO_SHORT', 'password TOO_SHORT']);
    for (const value of [5, true, ['ada@example.com'], { value: 'ada@example.com' }, { constructor: 'x' }]) {
      expect(violationsOf(await login(value, value))).toEqual(['identifier INVALID_TYPE', 'password INVALID_TYPE']);
    }
    expect((await login('nul\0', 'nul\0')).body.code).toBe('MALFORMED_JSON');
  });

  it('compares passwords whole, in any normal form and with their spaces', async () => {
    const long = '😀'.repeat(64);
    const spaced = '  correct horse  ';
    const composed = 'café ﬁnancière Ω';
    for (const [password, same, others] of [
      [long, [], [`${long.slice(0, -2)}😁`, long.slice(0, -2), `${long}!`]],
      [spaced, [], [spaced.trim(), ` ${spaced}`, spaced.trimEnd()]],
      [composed, [composed.normalize('NFD'), composed.normalize('NFKC')], [composed.toUpperCase()]],
    ] as const) {
      const { email } = await register(client, { password });
      for (const good of [password, ...same]) expect((await login(email, good)).status).toBe(200);
      for (const bad of others) expect((await login(email, bad)).status).toBe(401);
    }
  });

  it.each(['an existing', 'an unknown'])('stops guessing at %s identifier after ten failures', async (which) => {
    const { email } = which === 'an existing' ? await register(client) : newPerson();
    await failTenTimes(email);
    clock.advance({ minutes: 14, seconds: 30 });
    for (const spelling of [email, email.toUpperCase()]) {
      const refused = await login(spelling);
      expect([refused.status, refused.body.code]).toEqual([429, 'LOGIN_THROTTLED']);
      expect(refused.headers.get('Retry-After')).toBe('30');
    }
    clock.advance({ seconds: 30 });
    expect((await login(email)).status).toBe(which === 'an existing' ? 200 : 401);
  });

  it('forgets the failures before a success', async () => {
    const { email } = await register(client);
    for (const _ of [1, 2, 3]) {
      expect(statuses(await together(9, () => login(email, 'a wrong guess')))).toEqual(Array(9).fill(401));
      expect((await login(email)).status).toBe(200);
    }
  });

  it('evaluates at most ten of many guesses at once, and asks the database little about the rest', async () => {
    const { email } = await register(client);
    const compare = jest.spyOn(app.nest.get(HashingPool), 'compare');
    const count = jest.spyOn(app.nest.get(AccountsService), 'findAndCount');
    const answers = await together(40, (index) => login(email, `wrong guess ${index}`));
    expect(compare).toHaveBeenCalledTimes(10);
    expect(count).toHaveBeenCalledTimes(40);
    expect(statuses(answers).sort()).toEqual([...Array<number>(10).fill(401), ...Array<number>(30).fill(429)]);
    compare.mockRestore();
    count.mockRestore();
  });

  it.each([
    ['', null],
    [' from one address', '198.51.100.9'],
  ])('lets a consumer log in thirty times at once%s', async (_, address) => {
    const at = address === null ? client : from(address);
    const { email, customerId } = await register(client);
    for (const _ of [1, 2, 3, 4]) {
      expect(statuses(await together(30, () => login(email, PASSWORD, at)))).toEqual(Array(30).fill(200));
    }
    const [row] = await app.dataSource.query<{ sessions: number }[]>(
      'SELECT count(*)::int AS sessions FROM session WHERE consumer_id = $1',
      [customerId],
    );
    expect(row?.sessions).toBe(121);
  });

  it('stops an address after a hundred failures over many identifiers', async () => {
    const { email } = await register(client);
    const guesses = await together(110, (index) => login(`n${index}@example.com`, PASSWORD, from('198.51.100.1')));
    expect(statuses(guesses).filter((status) => status === 401)).toHaveLength(100);
    const refused = await login(email, PASSWORD, from('::ffff:198.51.100.1'));
    expect([refused.status, refused.body.code]).toEqual([429, 'LOGIN_THROTTLED']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await login(email, PASSWORD, from('198.51.100.2'))).status).toBe(200);
    clock.advance({ minutes: 15 });
    expect((await login(email, PASSWORD, from('198.51.100.1'))).status).toBe(200);
  });

  it('counts no failure of an identifier that an exhausted address asks for', async () => {
    const { email } = await register(client);
    await together(100, (index) => login(`m${index}@example.com`, PASSWORD, from('198.51.100.3')));
    const refused = await together(12, () => login(email, 'a wrong guess', from('198.51.100.3')));
    expect(statuses(refused)).toEqual(Array(12).fill(429));
    expect((await login(email)).status).toBe(200);
  });

  it('counts no failure of an address for a guess that its identifier refuses', async () => {
    const [locked, other] = [await register(client), await register(client)];
    await failTenTimes(locked.email);
    await together(99, (index) => login(`o${index}@example.com`, PASSWORD, from('198.51.100.5')));
    const guesses = together(30, () => login(locked.email, 'a wrong guess', from('198.51.100.5')));
    expect((await login(other.email, PASSWORD, from('198.51.100.5'))).status).toBe(200);
    expect(statuses(await guesses)).toEqual(Array(30).fill(429));
  });

  it('ignores an address that is none', async () => {
    const { email, customerId } = await register(client);
    for (const address of ['nonsense', '203.0.113.7, 198.51.100.4', '999.0.0.1', 'fe80::1%eth0', '203.0.113.7:443']) {
      expect((await login(email, PASSWORD, from(address))).status).toBe(200);
    }
    expect(await knownAddresses(customerId)).toEqual([]);
  });

  it('gives the owner guesses that strangers cannot use up, for thirty days after a login from there', async () => {
    const { email } = await register(client);
    expect((await login(email, PASSWORD, from('2001:DB8::7'))).status).toBe(200);
    clock.advance({ minutes: 30 * DAY.minutes - 1 });
    await failTenTimes(email);
    const home = from('2001:db8:0:0:ffff:0:0:8');
    expect((await login(email)).status).toBe(429);
    expect((await login(email, PASSWORD, from('2001:db8:0:1::7'))).status).toBe(429);
    expect((await login(email, PASSWORD, home)).status).toBe(200);

    await failTenTimes(email, home);
    expect((await login(email, PASSWORD, home)).status).toBe(429);

    clock.advance({ minutes: 30 * DAY.minutes });
    await failTenTimes(email);
    expect((await login(email, PASSWORD, home)).status).toBe(429);
  });

  it('refuses a stranger at once while the owner, whose guesses are counted apart, is logging in', async () => {
    const { email } = await register(client);
    const home = from('203.0.113.20');
    expect((await login(email, PASSWORD, home)).status).toBe(200);
    await failTenTimes(email);
    const pool = app.nest.get(HashingPool);
    const compare = pool.compare.bind(pool);
    const gate = new EventEmitter();
    const held = jest.spyOn(pool, 'compare').mockImplementation(async (...task) => {
      const opened = once(gate, 'opened');
      gate.emit('reached');
      await opened;
      return compare(...task);
    });
    const reached = once(gate, 'reached');
    const owner = login(email, PASSWORD, home);
    try {
      await reached;
      expect((await login(email)).status).toBe(429);
    } finally {
      gate.emit('opened');
      held.mockRestore();
    }
    expect((await owner).status).toBe(200);
  });

  it('does not take one consumer’s address for another’s', async () => {
    const [owner, stranger] = [await register(client), await register(client)];
    expect((await login(stranger.email, PASSWORD, from('203.0.113.9'))).status).toBe(200);
    await failTenTimes(owner.email);
    expect((await login(owner.email, PASSWORD, from('203.0.113.9'))).status).toBe(429);
  });

  it('keeps no address but its keyed digest', async () => {
    const { email, customerId } = await register(client);
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7']) {
      expect((await login(email, PASSWORD, from(address))).status).toBe(200);
    }
    const [digest, ...others] = await knownAddresses(customerId);
    expect(others).toEqual([]);
    expect(digest).toHaveLength(32);
    expect(digest).not.toEqual(createHash('sha256').update('203.0.113.7').digest());
  });

  async function knownAddresses(customerId: string): Promise<Buffer[]> {
    const rows = await app.dataSource.query<{ digest: Buffer }[]>(
      'SELECT address_digest AS digest FROM known_address WHERE consumer_id = $1',
      [customerId],
    );
    return rows.map(({ digest }) => digest);
  }

  it.each(['$2a$', '$2b$'])('takes a plain %s hash of another system, and renews it once', async (prefix) => {
    const { email, customerId } = await register(client);
    const plain = bcrypt.hashSync('imported password', 4).replace('$2b$', prefix);
    await app.dataSource.query('UPDATE credential SET password_hash = $1 WHERE consumer_id = $2', [plain, customerId]);
    expect((await login(email)).status).toBe(401);
    expect(await hashOf(customerId)).toBe(plain);
    expect((await login(email, 'imported password')).status).toBe(200);
    const renewed = await hashOf(customerId);
    expect(renewed).toMatch(/^pepper:[0-9a-f]{8}:\$2b\$04\$/);
    expect((await login(email, 'imported password')).status).toBe(200);
    expect(await hashOf(customerId)).toBe(renewed);
    expect((await login(email)).status).toBe(401);
  });
});

describe('POST /api/v1/login after a restart', () => {
  it('accepts what an older secret and another cost made, and renews it once', async () => {
    const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
    const restarts = await Restarts.create();
    const before = await restarts.start({ env: { APP_SECRET: oldSecret } });
    const touchpoint = await before.client();
    const ada = await register(touchpoint);
    await before.close();

    const after = await restarts.start({ env: { APP_SECRET: `${newSecret},${oldSecret}`, BCRYPT_COST: '5' } });
    const client = new ApiClient(after.baseUrl, touchpoint.headers);
    const hashes = new Set<string>();
    for (const _ of [1, 2, 3]) {
      const { status } = await client.post('/api/v1/login', { identifier: ada.email, password: PASSWORD });
      expect(status).toBe(200);
      const [row] = await after.dataSource.query<{ hash: string }[]>('SELECT password_hash AS hash FROM credential');
      hashes.add(row?.hash ?? '');
    }
    expect([...hashes]).toEqual([expect.stringMatching(/^pepper:[0-9a-f]{8}:\$2b\$05\$/)]);
    await after.close();
    await restarts.dispose();
  });

  it('answers 503 and counts no failure while too many passwords wait to be compared', async () => {
    const app = await TestApp.start({ env: { HASH_WORKERS: '1', HASH_QUEUE_LIMIT: '1', BCRYPT_COST: '10' } });
    const client = await app.client();
    const attempts = Array.from({ length: 12 }, (_, index) =>
      client.post<ProblemBody>('/api/v1/login', { identifier: `n${index % 2}@example.com`, password: PASSWORD }),
    );
    const answers = await Promise.all(attempts);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused) {
      expect([body.code, Number(headers.get('Retry-After')) > 0]).toEqual(['SERVICE_UNAVAILABLE', true]);
    }
    const failures = answers.filter(({ status }) => status === 401).length;
    expect(failures + refused.length).toBe(answers.length);
    const [row] = await app.dataSource.query<{ counted: number }[]>(
      'SELECT sum(failures)::int AS counted FROM login_attempt',
    );
    expect(row?.counted).toBe(failures);
    await app.close();
  });
});
