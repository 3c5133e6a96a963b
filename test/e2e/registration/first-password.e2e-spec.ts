import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { codeSentTo, wrongCode } from '../../support/messages/mailbox';
import { loggedOf } from '../../support/service/log-lines';
import { TestService } from '../../support/service/test-service';

const OTHER_PASSWORD = 'hold fast to the analytical engine';
const PROOF = { channelProof: 'EMAIL' } as const;
const HASH = /^pepper:[^:]+:\$2b\$04\$.{53}$/;

describe('the password of a registration with a channel proof', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.start({ clock: 'stopped', env: { LOG_LEVEL: 'trace' } });
    client = await app.client(PROOF);
  });

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
    app.query<{ email: string; hash: string | null }>(
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
    await change(touchpoint, 'OTP');
    expect(violationsOf(await complete(registrationId, await code(), PASSWORD, touchpoint))).toEqual([
      'password FORBIDDEN',
    ]);
    const { status, body } = await complete(registrationId, await code(), undefined, touchpoint);
    expect(status).toBe(201);
    expect(await hasPassword(body.token)).toBe(false);
  });

  it('is asked for by a touchpoint that has begun to use passwords meanwhile', async () => {
    const touchpoint = await app.client({ ...PROOF, authenticationMode: 'OTP' });
    const { registrationId, email, code } = await begin({ password: undefined }, touchpoint);
    await change(touchpoint, 'PASSWORD');
    expect(violationsOf(await complete(registrationId, await code(), undefined, touchpoint))).toEqual([
      'password REQUIRED',
    ]);
    expect((await complete(registrationId, await code(), PASSWORD, touchpoint)).status).toBe(201);
    expect(await logIn(email, PASSWORD)).toBe(200);
  });

  const change = async (touchpoint: ApiClient, authenticationMode: 'PASSWORD' | 'OTP') => {
    const code = touchpoint.headers['X-Touchpoint-Code'] ?? '';
    await app.administer('touchpoint', 'update', code, '--auth-mode', authenticationMode);
    // The service asks again for what it knows of a touchpoint.
    await app.clock.advance({ minutes: 1 });
  };

  it('is hashed and kept alike whether or not the address has an owner, and stands nowhere in clear', async () => {
    const owned = await begin();
    expect((await complete(owned.registrationId, await owned.code())).status).toBe(201);
    await app.clock.advance({ minutes: 2 });
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
    // The line of the last request is there: so are all before it.
    await loggedOf(app, guess.body.requestId);
    expect(app.log.split('\n').filter((line) => line.includes(PASSWORD) || line.includes('$2b$'))).toEqual([]);
  });

  it('goes with its registration: completed or erased', async () => {
    const completed = await begin();
    expect((await complete(completed.registrationId, await completed.code())).status).toBe(201);
    const phone = newPhone();
    const owner = await register(await app.client(), { phone });
    const naming = await begin({ phone });
    expect((await hashes()).map(({ email }) => email)).toContain(naming.email);
    const exported = await app.administer<{ pendingRegistrations: object[] }>('consumer', 'export', owner.email);
    expect(exported.pendingRegistrations).toHaveLength(1);
    expect(JSON.stringify(exported)).not.toMatch(/\$2b\$/);
    await app.administer('consumer', 'erase', owner.email, '--yes');
    const left = (await hashes()).map(({ email }) => email);
    for (const { email } of [completed, naming]) expect(left).not.toContain(email);
  });
});
