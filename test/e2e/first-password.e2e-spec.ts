import { pino } from 'pino';
import { ConsumerErasure } from '../../src/consumers/consumer-erasure.service';
import { ConsumerRecords } from '../../src/consumers/consumer-records.service';
import { SERVICE_ORIGIN } from '../../src/platform/audit/origin';
import { ExpiredRows } from '../../src/platform/jobs/expired-rows';
import { AuthenticationMode, ChannelProof } from '../../src/touchpoints/touchpoint.entity';
import type { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { FixedClock } from '../support/fixed-clock';
import { codeSentTo, wrongCode } from '../support/mailbox';
import { type ProblemBody, violationsOf } from '../support/problems';
import { TestApp } from '../support/test-app';

const OTHER_PASSWORD = 'hold fast to the analytical engine';
const PROOF = { channelProof: ChannelProof.Email };
const HASH = /^pepper:[^:]+:\$2b\$04\$.{53}$/;

describe('the password of a registration with a channel proof', () => {
  const clock = new FixedClock();
  const log: string[] = [];
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
    app = await TestApp.start({ clock, logger });
    client = await app.client(PROOF);
  });
  afterAll(() => app.close());

  const begin = async (fields: Record<string, unknown> = {}, by = client) => {
    const person = newPerson(fields);
    const { status, body } = await by.post<{ registrationId: string }>('/api/v1/register', person);
    expect(status).toBe(202);
    const { registrationId } = body;
    return { registrationId, email: person.email, code: () => codeSentTo(app, person.email) };
  };
  const complete = (registrationId: string, code: string, password?: string, by = client) =>
    by.post<SessionBody & ProblemBody>('/api/v1/register/complete', { registrationId, code, password });
  const logIn = async (identifier: string, password: string) =>
    (await (await app.client()).post('/api/v1/login', { identifier, password })).status;
  const hasPassword = async (token: string): Promise<boolean> =>
    (await client.as(token).get<{ hasPassword: boolean }>('/api/v1/me')).body.hasPassword;
  const hashes = () =>
    app.dataSource.query<{ email: string; hash: string | null }[]>(
      `SELECT registration ->> 'email' AS email, password_hash AS hash FROM pending_registration`,
    );

  it('is not thrown away when it came with the first step: the code alone completes it', async () => {
    const { registrationId, email, code } = await begin();
    const completed = await complete(registrationId, await code());
    expect(completed.status).toBe(201);
    expect(await hasPassword(completed.body.token)).toBe(true);
    expect(await logIn(email, PASSWORD)).toBe(200);
  });

  it('is replaced by one that is sent with the code', async () => {
    const { registrationId, email, code } = await begin();
    expect((await complete(registrationId, await code(), OTHER_PASSWORD)).status).toBe(201);
    expect(await logIn(email, PASSWORD)).toBe(401);
    expect(await logIn(email, OTHER_PASSWORD)).toBe(200);
  });

  it('is not lost to a bad replacement, which spends neither the code nor a guess', async () => {
    const { registrationId, email, code } = await begin();
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const refused = await complete(registrationId, await code(), email);
      expect(violationsOf(refused)).toEqual(['password INVALID_VALUE']);
    }
    expect((await complete(registrationId, await code())).status).toBe(201);
    expect(await logIn(email, PASSWORD)).toBe(200);
  });

  it('is asked for with the code only where the first step had none', async () => {
    const { registrationId, email, code } = await begin({ password: undefined });
    expect(violationsOf(await complete(registrationId, await code()))).toEqual(['password REQUIRED']);
    expect((await complete(registrationId, await code(), PASSWORD)).status).toBe(201);
    expect(await logIn(email, PASSWORD)).toBe(200);
    expect((await complete(registrationId, await code())).body.code).toBe('CODE_EXPIRED');
  });

  it('is not stored for a touchpoint that has given up passwords meanwhile', async () => {
    const touchpoint = await app.client(PROOF);
    const { registrationId, code } = await begin({}, touchpoint);
    await change(touchpoint, AuthenticationMode.OneTimeCode);
    expect(violationsOf(await complete(registrationId, await code(), PASSWORD, touchpoint))).toEqual([
      'password FORBIDDEN',
    ]);
    const { status, body } = await complete(registrationId, await code(), undefined, touchpoint);
    expect(status).toBe(201);
    expect(await hasPassword(body.token)).toBe(false);
  });

  it('is asked for by a touchpoint that has begun to use passwords meanwhile', async () => {
    const touchpoint = await app.client({ ...PROOF, authenticationMode: AuthenticationMode.OneTimeCode });
    const { registrationId, email, code } = await begin({ password: undefined }, touchpoint);
    await change(touchpoint, AuthenticationMode.Password);
    expect(violationsOf(await complete(registrationId, await code(), undefined, touchpoint))).toEqual([
      'password REQUIRED',
    ]);
    expect((await complete(registrationId, await code(), PASSWORD, touchpoint)).status).toBe(201);
    expect(await logIn(email, PASSWORD)).toBe(200);
  });

  const change = async (touchpoint: ApiClient, authenticationMode: AuthenticationMode) => {
    await app.touchpoints.update(touchpoint.headers['X-Touchpoint-Code'] ?? '', { authenticationMode }, SERVICE_ORIGIN);
    // The service asks again for what it knows of a touchpoint.
    clock.advance({ minutes: 1 });
  };

  it('is hashed and kept alike whether or not the address has an owner, and stands nowhere in clear', async () => {
    const owned = await begin();
    expect((await complete(owned.registrationId, await owned.code())).status).toBe(201);
    clock.advance({ minutes: 2 });
    const known = await begin({ email: owned.email });
    const unknown = await begin();
    const kept = await hashes();
    for (const { email } of [known, unknown]) {
      expect(kept.filter((row) => row.email === email)).toEqual([
        { email, hash: expect.stringMatching(HASH) as string },
      ]);
    }
    const guess = await complete(known.registrationId, wrongCode(await unknown.code()));
    expect(guess.body.code).toBe('CODE_INVALID');
    expect(log.filter((line) => line.includes(PASSWORD) || line.includes('$2b$'))).toEqual([]);
  });

  it('goes with its registration: completed, expired or erased', async () => {
    const completed = await begin();
    expect((await complete(completed.registrationId, await completed.code())).status).toBe(201);
    const owner = await register(await app.client(), { phone: '+12025550171' });
    const naming = await begin({ phone: '+12025550171' });
    const exported = await app.nest.get(ConsumerRecords).export(owner.email, SERVICE_ORIGIN);
    expect(exported.pendingRegistrations).toHaveLength(1);
    expect(JSON.stringify(exported)).not.toMatch(/\$2b\$/);
    await app.nest.get(ConsumerErasure).erase(owner.email, SERVICE_ORIGIN);
    const left = (await hashes()).map(({ email }) => email);
    for (const { email } of [completed, naming]) expect(left).not.toContain(email);

    const { email } = await begin();
    expect((await hashes()).map((row) => row.email)).toContain(email);
    clock.advance({ minutes: 10 });
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await hashes()).toEqual([]);
  });
});
