import { randomUUID } from 'node:crypto';
import { type Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { codeSentTo } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const CODE = 'X-Touchpoint-Code';
const KEY = 'X-Touchpoint-Key';
const ME = '/api/v1/me';

/** So many equal refusals of a minute get a row each. */
const ROWS_A_WINDOW = 10;

interface Event {
  type: string;
  outcome: string;
  reason: string | null;
  actor: string;
  touchpoint: string | null;
  customerId: string | null;
  requestId: string | null;
  count: number;
  details: Record<string, unknown>;
}

interface Explanation {
  requestId: string;
  refusals: {
    code: string;
    reason: string | null;
    checks: { check: string; result: string; finding: string | null }[];
  }[];
  acts: Event[];
}

describe('the audit trail', () => {
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.start({ clock: 'stopped', env: { AUDIT_RETENTION_DAYS: '30' } });
  });
  afterAll(() => app.close());

  const cli = async <T>(...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await app.cli(...args, '--json');
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  };
  const codeOf = (client: ApiClient) => client.headers[CODE] ?? '';
  const explain = ({ headers }: Answer) => cli<Explanation>('audit', 'explain', headers.get('x-request-id') ?? '');
  /** Refusals are written a moment after the answer. */
  const refusalOf = (answer: Answer): Promise<Explanation> =>
    until(async () => {
      const explanation = await explain(answer).catch(() => null);
      return explanation !== null && explanation.refusals.length > 0 && explanation;
    });
  const why = async (answer: Answer) => {
    const { refusals } = await refusalOf(answer);
    return refusals.map(({ code, reason }) => `${code}: ${reason}`);
  };

  it('tells what a consumer did, when, where and by which request', async () => {
    const client = await app.client();
    // What the command line has recorded comes before what follows, although the clock stands still.
    await app.clock.advance({ seconds: 1 });
    const { customerId, token, email } = await register(client.with({ 'X-Request-Id': 'r-register' }));
    const consumer = client.as(token);
    await client.with({ 'X-Request-Id': 'r-login' }).post('/api/v1/login', { identifier: email, password: PASSWORD });
    await consumer.patch(ME, { firstName: 'Augusta', locale: 'en' }, { 'X-Request-Id': 'r-patch' });
    await consumer.with({ 'X-Request-Id': 'r-request' }).post('/api/v1/verifications/email/request');
    const code = await codeSentTo(app, email);
    await consumer.with({ 'X-Request-Id': 'r-confirm' }).post('/api/v1/verifications/email/confirm', { code });
    const passwords = { currentPassword: PASSWORD, newPassword: 'hold fast to the engine' };
    await consumer.with({ 'X-Request-Id': 'r-password' }).post('/api/v1/password/change', passwords);
    await consumer.with({ 'X-Request-Id': 'r-logout' }).post('/api/v1/logout');

    const events = await cli<Event[]>('audit', 'list', '--consumer', customerId);
    expect(events.map(({ type, requestId, actor }) => [type, requestId, actor])).toEqual([
      ['consumer.registered', 'r-register', 'touchpoint'],
      ['consumer.logged-in', 'r-login', 'touchpoint'],
      ['profile.changed', 'r-patch', 'consumer'],
      ['verification.requested', 'r-request', 'consumer'],
      ['identifier.verified', 'r-confirm', 'consumer'],
      ['password.changed', 'r-password', 'consumer'],
      ['consumer.logged-out', 'r-logout', 'consumer'],
    ]);
    expect(new Set(events.map(({ touchpoint }) => touchpoint))).toEqual(new Set([codeOf(client)]));
    expect(events[2]?.details).toEqual({ fields: ['firstName', 'locale'] });
    expect(await cli<Event[]>('audit', 'list', '--request-id', 'r-login')).toEqual([events[1]]);
    expect(await cli<Event[]>('audit', 'list', '--touchpoint', codeOf(client), '--limit', '2')).toEqual(
      events.slice(-2),
    );
    expect(await cli<Event[]>('audit', 'list', '--since', new Date(app.clock.epochMs() + 1_000).toISOString())).toEqual(
      [],
    );

    const trail = JSON.stringify(await app.query('SELECT e::text FROM audit_event e'));
    for (const secret of [email, PASSWORD, 'hold fast', 'Augusta', 'Lovelace', code, token]) {
      expect(trail).not.toContain(secret);
    }
    expect(trail).toContain('a***@e***.com');
  });

  it('tells what administrators did, and who they are', async () => {
    const code = `audited-${randomUUID()}`;
    await cli('touchpoint', 'create', '--code', code, '--channel-proof', 'EMAIL');
    await cli('touchpoint', 'disable', code);
    await cli('touchpoint', 'rotate-key', code, '--overlap', '1h');
    const events = await cli<(Event & { operator: string })[]>('audit', 'list', '--touchpoint', code);
    expect(events.map(({ type, actor }) => [type, actor])).toEqual([
      ['touchpoint.created', 'cli'],
      ['touchpoint.updated', 'cli'],
      ['touchpoint.key-rotated', 'cli'],
    ]);
    expect(events.every(({ operator }) => operator.length > 0)).toBe(true);
    expect(events[1]?.details).toEqual({ settings: { enabled: false } });
  });

  it('tells support why a credential was refused, where the answer does not', async () => {
    const client = await app.client();
    const disabled = await app.client();
    await app.administer('touchpoint', 'disable', codeOf(disabled));
    const rotated = await app.client();
    await app.administer('touchpoint', 'rotate-key', codeOf(rotated), '--overlap', '60s');
    await app.clock.advance({ minutes: 2 });
    const attempts: [reason: string, as: ApiClient][] = [
      ['missing header', new ApiClient(app.baseUrl, { [CODE]: codeOf(client) })],
      ['malformed code', client.with({ [CODE]: 'No_Code' })],
      ['malformed key', client.with({ [KEY]: 'tpk_short' })],
      ['unknown touchpoint', client.with({ [CODE]: 'nobody-knows' })],
      ['wrong key', client.with({ [KEY]: disabled.headers[KEY] ?? '' })],
      ['disabled', disabled],
      ['old key', rotated],
    ];
    const answers = await Promise.all(attempts.map(([, as]) => as.get(ME)));
    const told = new Set(answers.map(({ body: { requestId: _, ...problem } }) => JSON.stringify(problem)));
    expect(told.size).toBe(1);
    const reasons = await Promise.all(answers.map(refusalOf));
    expect(reasons.map(({ refusals }) => refusals[0]?.reason)).toEqual(attempts.map(([reason]) => reason));
    expect(reasons[4]?.refusals[0]?.checks.slice(0, 2)).toEqual([
      { check: 'touchpoint credential', result: 'refused', finding: 'TOUCHPOINT_UNAUTHORIZED, wrong key' },
      { check: 'reserved route', result: 'not reached', finding: null },
    ]);
  });

  it('tells which check refused a request that had passed others, and why', async () => {
    const client = await app.client({ rateLimit: '6/60' });
    const { customerId, token, email } = await register(client);
    const login = (identifier: string, password: string) => client.post('/api/v1/login', { identifier, password });
    const wrong = await login(email, 'wrong password');
    expect(await why(wrong)).toEqual(['INVALID_CREDENTIALS: wrong password']);
    const tokenCheck = (await explain(wrong)).refusals[0]?.checks.find(({ check }) => check === 'customer token');
    expect(tokenCheck).toEqual({ check: 'customer token', result: 'passed', finding: 'not asked for' });
    expect(await why(await login('nobody@example.com', PASSWORD))).toEqual(['INVALID_CREDENTIALS: unknown identifier']);
    await client.as(token).post('/api/v1/logout');
    const dead = await client.as(token).get(ME);
    expect(await why(dead)).toEqual(['UNAUTHENTICATED: the session has ended']);
    const invalid = await client.post('/api/v1/register', newPerson({ firstName: '', attributes: { secret: {} } }));
    const [refusal] = (await refusalOf(invalid)).refusals;
    expect(refusal?.checks.filter(({ result }) => result !== 'passed')).toEqual([
      {
        check: 'input',
        result: 'refused',
        finding: 'VALIDATION_FAILED, firstName TOO_SHORT, attributes INVALID_VALUE',
      },
      { check: 'operation', result: 'not reached', finding: null },
    ]);
    expect(await why(await client.get(ME))).toEqual(['RATE_LIMITED: touchpoint limit']);
    const failures = await cli<Event[]>('audit', 'list', '--consumer', customerId);
    expect(failures.filter(({ outcome }) => outcome === 'refused').map(({ reason }) => reason)).toEqual([
      'wrong password',
    ]);
  });

  it('keeps no act that was rolled back, but the refusal', async () => {
    const client = await app.client();
    const { email } = await register(client);
    const answer = await client.post('/api/v1/register', newPerson({ email }));
    const { acts, refusals } = await refusalOf(answer);
    expect({ acts, codes: refusals.map(({ code }) => code) }).toEqual({ acts: [], codes: ['IDENTIFIER_TAKEN'] });
  });

  it('counts a flood of equal refusals instead of keeping each', async () => {
    const client = await app.client();
    const wrong = client.with({ [KEY]: (await app.client()).headers[KEY] ?? '' });
    const attempts = 200;
    for (let sent = 0; sent < attempts; sent += 20) await Promise.all(Array.from({ length: 20 }, () => wrong.get(ME)));
    await app.clock.advance({ minutes: 1 });
    const counts = async () => {
      const events = await cli<Event[]>('audit', 'list', '--touchpoint', codeOf(client));
      return events.filter(({ reason }) => reason === 'wrong key').map(({ count }) => count);
    };
    await until(async () => (await counts()).length > ROWS_A_WINDOW);
    expect(await counts()).toEqual([...Array<number>(ROWS_A_WINDOW).fill(1), attempts - ROWS_A_WINDOW]);
  });

  it('says so in one line when it has nothing of a request', async () => {
    const { exitCode, stderr } = await app.cli('audit', 'explain', 'never-sent');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Nothing is recorded of request never-sent: .*30 days\n$/);
    const wrong = await app.cli('audit', 'list', '--since', 'yesterday');
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      '--since must be a time such as 2026-01-31T12:00:00Z, or 24h\n',
    ]);
  });
});
