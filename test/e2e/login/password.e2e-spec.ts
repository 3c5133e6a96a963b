import type { ApiClient } from '../../support/api/api-client';
import { newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const NEW_PASSWORD = 'hold fast to the analytical engine';

describe('sessions and passwords', () => {
  let app: TestService;
  let client: ApiClient;
  /** The same backend, talking to another replica. */
  let elsewhere: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    elsewhere = client.at((await TestService.start({ replicaOf: app })).baseUrl);
  });

  const login = (identifier: string, password: string, from = client) =>
    from.post<SessionBody & ProblemBody>('/api/v1/login', { identifier, password });

  const change = (token: string, body: unknown = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }) =>
    client.as(token).post<ProblemBody>('/api/v1/password/change', body);

  const isLive = async (token: string, at = client) => {
    const { status, body } = await at.as(token).get('/api/v1/me');
    if (status !== 200) expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
    return status === 200;
  };

  const together = <T>(count: number, task: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => task(index)));

  const tally = (answers: { status: number; body: { code?: string } }[]) => {
    const outcomes = answers.map(({ status, body }) => body.code ?? String(status)).sort();
    return Object.fromEntries(
      outcomes.map((outcome) => [outcome, outcomes.filter((other) => other === outcome).length]),
    );
  };

  describe('POST /api/v1/logout', () => {
    it('ends this session on every replica, and no other, whatever its body is', async () => {
      const { token, email } = await register(client);
      const other = (await login(email, PASSWORD)).body.token;
      const { status, body, headers } = await client.as(token).post('/api/v1/logout', '{"not": JSON');
      expect([status, body, headers.get('Content-Length')]).toEqual([204, '', null]);
      expect([await isLive(token), await isLive(token, elsewhere)]).toEqual([false, false]);
      expect([await isLive(other), await isLive(other, elsewhere)]).toEqual([true, true]);
      expect((await client.as(token).post('/api/v1/logout')).body.code).toBe('UNAUTHENTICATED');
    });
  });

  describe('POST /api/v1/password/change', () => {
    it('changes the password and ends every session but this one', async () => {
      const { token, email, customerId } = await register(client);
      const others = [(await login(email, PASSWORD)).body.token, (await login(customerId, PASSWORD)).body.token];
      const { token: stranger } = await register(client);
      const { status, body } = await change(token);
      expect([status, body]).toEqual([204, '']);
      for (const other of others) expect([await isLive(other), await isLive(other, elsewhere)]).toEqual([false, false]);
      expect([await isLive(token), await isLive(stranger)]).toEqual([true, true]);
      expect((await login(email, PASSWORD)).body.code).toBe('INVALID_CREDENTIALS');
      expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    });

    it('counts a wrong current password as a failed login by every identifier', async () => {
      const phone = newPhone();
      const { token, email, customerId } = await register(client, { phone });
      const wrong = { currentPassword: 'a wrong guess', newPassword: NEW_PASSWORD };
      const guesses = await together(40, () => change(token, wrong));
      expect(tally(guesses)).toEqual({ CURRENT_PASSWORD_INVALID: 10, LOGIN_THROTTLED: 30 });
      for (const identifier of [email, phone, customerId]) {
        expect((await login(identifier, PASSWORD)).body.code).toBe('LOGIN_THROTTLED');
      }
      const refused = await change(token);
      expect([refused.status, refused.body.code]).toEqual([429, 'LOGIN_THROTTLED']);
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(await isLive(token)).toBe(true);
    });

    it('guesses at a password no further than logins may, together with them', async () => {
      const { token, email } = await register(client);
      const wrong = { currentPassword: 'a wrong guess', newPassword: NEW_PASSWORD };
      const answers = await together(40, (index) =>
        index % 2 === 0 ? change(token, wrong) : login(email, 'a wrong guess'),
      );
      const { CURRENT_PASSWORD_INVALID = 0, INVALID_CREDENTIALS = 0, LOGIN_THROTTLED } = tally(answers);
      expect([CURRENT_PASSWORD_INVALID + INVALID_CREDENTIALS, LOGIN_THROTTLED]).toEqual([10, 30]);
    });

    it('gets along with logins by every identifier at once, right and wrong', async () => {
      for (let round = 0; round < 6; round += 1) {
        const { token, email, customerId } = await register(client);
        const answers = await together(40, (index) => {
          const password = index % 4 === 0 ? PASSWORD : 'a wrong guess';
          if (index % 3 === 0) return change(token, { currentPassword: password, newPassword: NEW_PASSWORD });
          return login(index % 3 === 1 ? email : customerId, password);
        });
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      }
    });

    it('holds the new password to the rules of registration, with all violations at once', async () => {
      const phone = newPhone();
      const { token, email } = await register(client, { lastName: 'Wollstonecraft', phone });
      const attempt = async (newPassword: unknown) =>
        violationsOf(await change(token, { currentPassword: PASSWORD, newPassword }));
      const refused: Record<string, unknown[]> = {
        INVALID_VALUE: [email, email.split('@')[0], phone, 'wollstonecraft'],
        INVALID_TYPE: [12345678, ['x'.repeat(9)], {}, true],
        TOO_SHORT: ['seven77'],
        TOO_LONG: ['x'.repeat(257)],
        TOO_COMMON: ['password1', 'Password@123', 'poiuytrewq'],
        REQUIRED: [null, undefined],
      };
      for (const [code, values] of Object.entries(refused)) {
        for (const value of values) expect(await attempt(value)).toEqual([`newPassword ${code}`]);
      }
      expect(violationsOf(await change(token, { newPassword: 'seven77' }))).toEqual([
        'currentPassword REQUIRED',
        'newPassword TOO_SHORT',
      ]);
      expect((await login(email, PASSWORD)).status).toBe(200);
    });

    it('has nothing to change for a consumer without a password', async () => {
      const otp = await app.client({ authenticationMode: 'OTP' });
      const { token } = await register(otp, { password: undefined });
      const refused = await change(token);
      expect([refused.status, refused.body.code]).toEqual([409, 'PASSWORD_NOT_SET']);
    });

    it('is refused at a one-time-code touchpoint before its body is read, and after its token', async () => {
      const otp = await app.client({ authenticationMode: 'OTP' });
      const { token } = await register(client);
      for (const body of ['not JSON', 'x'.repeat(20_000), { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }]) {
        const refused = await otp.as(token).post('/api/v1/password/change', body);
        expect([refused.status, refused.body.code]).toEqual([403, 'PASSWORD_NOT_ALLOWED']);
      }
      expect((await otp.post('/api/v1/password/change', 'not JSON')).body.code).toBe('UNAUTHENTICATED');
    });

    it('leaves no session behind that the old password opened meanwhile', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { token, email } = await register(client);
        const [changed, ...logins] = await Promise.all([
          change(token),
          ...[client, elsewhere, client, client].map((from) => login(email, PASSWORD, from)),
        ]);
        expect(changed.status).toBe(204);
        for (const { status, body } of logins) {
          if (status === 200) expect(await isLive(body.token)).toBe(false);
          else expect(body.code).toBe('INVALID_CREDENTIALS');
        }
        expect(await isLive(token)).toBe(true);
      }
    });

    it('lets one of several changes at once win, whose password is then the only one', async () => {
      const { token, email } = await register(client);
      const other = (await login(email, PASSWORD)).body.token;
      const passwords = Array.from({ length: 4 }, (_, index) => `${NEW_PASSWORD} ${index}`);
      const answers = await Promise.all(
        passwords.map((newPassword, index) =>
          change(index % 2 === 0 ? token : other, { currentPassword: PASSWORD, newPassword }),
        ),
      );
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      // The session of the other losers has been ended by the winner, before or after they looked at the password.
      const { CURRENT_PASSWORD_INVALID = 0, UNAUTHENTICATED = 0 } = tally(answers);
      expect(CURRENT_PASSWORD_INVALID).toBeGreaterThanOrEqual(1);
      expect(CURRENT_PASSWORD_INVALID + UNAUTHENTICATED).toBe(3);
      for (const [index, password] of passwords.entries()) {
        expect((await login(email, password)).status).toBe(answers[index]?.status === 204 ? 200 : 401);
      }
    });
  });
});
