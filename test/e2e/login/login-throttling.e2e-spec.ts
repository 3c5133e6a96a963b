import { createHash } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import type { ProblemBody } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const DAY = { minutes: 24 * 60 };

describe('the throttling of logins', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  const login = (identifier: unknown, password: unknown = PASSWORD, from = client) =>
    from.post<SessionBody & ProblemBody>('/api/v1/login', { identifier, password });

  const from = (address: string) => client.with({ 'X-Consumer-IP': address });

  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

  const together = <T>(count: number, task: () => Promise<T>) => Promise.all(Array.from({ length: count }, task));

  async function failTenTimes(identifier: string, by = client): Promise<void> {
    const answers = await together(10, () => login(identifier, 'a wrong guess', by));
    expect(statuses(answers)).toEqual(Array(10).fill(401));
  }

  async function knownAddresses(customerId: string): Promise<Buffer[]> {
    const rows = await app.query<{ digest: Buffer }>(
      'SELECT address_digest AS digest FROM known_address WHERE consumer_id = $1',
      [customerId],
    );
    return rows.map(({ digest }) => digest);
  }

  it.each(['an existing', 'an unknown'])('stops guessing at %s identifier after ten failures', async (which) => {
    const { email } = which === 'an existing' ? await register(client) : newPerson();
    await failTenTimes(email);
    await app.clock.advance({ minutes: 14, seconds: 30 });
    for (const spelling of [email, email.toUpperCase()]) {
      const refused = await login(spelling);
      expect([refused.status, refused.body.code]).toEqual([429, 'LOGIN_THROTTLED']);
      expect(refused.headers.get('Retry-After')).toBe('30');
    }
    await app.clock.advance({ seconds: 30 });
    expect((await login(email)).status).toBe(which === 'an existing' ? 200 : 401);
  });

  it('forgets the failures before a success', async () => {
    const { email } = await register(client);
    for (const _ of [1, 2, 3]) {
      expect(statuses(await together(9, () => login(email, 'a wrong guess')))).toEqual(Array(9).fill(401));
      expect((await login(email)).status).toBe(200);
    }
  });

  it('stops an address after a hundred failures over many identifiers', async () => {
    const { email } = await register(client);
    const guesses = await together(110, () => login(newPerson().email, PASSWORD, from('198.51.100.1')));
    expect(statuses(guesses).filter((status) => status === 401)).toHaveLength(100);
    const refused = await login(email, PASSWORD, from('::ffff:198.51.100.1'));
    expect([refused.status, refused.body.code]).toEqual([429, 'LOGIN_THROTTLED']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await login(email, PASSWORD, from('198.51.100.2'))).status).toBe(200);
    await app.clock.advance({ minutes: 15 });
    expect((await login(email, PASSWORD, from('198.51.100.1'))).status).toBe(200);
  });

  it('counts no failure of an identifier that an exhausted address asks for', async () => {
    const { email } = await register(client);
    await together(100, () => login(newPerson().email, PASSWORD, from('198.51.100.3')));
    const refused = await together(12, () => login(email, 'a wrong guess', from('198.51.100.3')));
    expect(statuses(refused)).toEqual(Array(12).fill(429));
    expect((await login(email)).status).toBe(200);
  });

  it('counts no failure of an address for a guess that its identifier refuses', async () => {
    const [locked, other] = [await register(client), await register(client)];
    await failTenTimes(locked.email);
    await together(99, () => login(newPerson().email, PASSWORD, from('198.51.100.5')));
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
    await app.clock.advance({ minutes: 30 * DAY.minutes - 1 });
    await failTenTimes(email);
    const home = from('2001:db8:0:0:ffff:0:0:8');
    expect((await login(email)).status).toBe(429);
    expect((await login(email, PASSWORD, from('2001:db8:0:1::7'))).status).toBe(429);
    expect((await login(email, PASSWORD, home)).status).toBe(200);

    await failTenTimes(email, home);
    expect((await login(email, PASSWORD, home)).status).toBe(429);

    await app.clock.advance({ minutes: 30 * DAY.minutes });
    await failTenTimes(email);
    expect((await login(email, PASSWORD, home)).status).toBe(429);
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
});
