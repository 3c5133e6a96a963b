import fc from 'fast-check';
import { type BodyDamage, bodyDamage, damaged, hostileString, JSON_TEXTS } from '../support/fuzz/hostile-bodies';
import { type DocumentedOperation, documentedOperations } from '../support/api/documented-operations';
import { type Forgery, forgery } from '../support/fuzz/hostile-tokens';
import { fuzzRuns, fuzzSeed, TIMEOUT_MS } from '../support/fuzz/settings';
import { FuzzTarget, type HostileRequest, type TouchpointName } from '../support/fuzz/target';
import { RawConnection } from '../support/http/raw-connection';

const CONNECTIONS = 4;
const WARM_UP_RUNS = 60;
const HEAP_GROWTH = 1.1;

const TARGET_BYTES = /[^!-~\x80-\xff]/g;
const HEADER_BYTES = /[\r\n]/g;

/** Headers that the service reads on any route, or that libraries below it do. */
const COMMON_HEADERS = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Cache-Control',
  'Cookie',
  'Expect',
  'Forwarded',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'Origin',
  'Range',
  'Upgrade',
  'X-Consumer-IP',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-HTTP-Method-Override',
  'X-Original-URL',
  'X-Request-Id',
  'X-Touchpoint-Code',
  'X-Touchpoint-Key',
];
const MEDIA_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/merge-patch+json',
  'application/json; charset=utf-16',
  'application/json;;;',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
];

interface Plan {
  damage: BodyDamage;
  touchpoint: TouchpointName;
  token: 'good' | 'none' | Forgery;
  parameters: string[];
  query: string | null;
  headers: [string, string][];
  mediaType: string | null;
}

/** The bytes of UTF-8, or of Latin-1 where the text holds no more. */
const asBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const hostileSegment = hostileString.chain((text) =>
  fc.constantFrom(
    encodeURIComponent(Buffer.from(text).toString()),
    asBytes(text).replace(TARGET_BYTES, ''),
    Buffer.from(text).toString('hex').replace(/../g, '%$&'),
    '%zz',
  ),
);

const hostileHeader = (names: string[]) =>
  fc.tuple(
    fc.constantFrom(...names),
    hostileString.map((text) => asBytes(text).replace(HEADER_BYTES, ' ')),
  );

const planFor = ({ path, query, headers, mediaTypes }: DocumentedOperation): fc.Arbitrary<Plan> =>
  fc.record({
    damage: mediaTypes.length > 0 ? bodyDamage : fc.constant<BodyDamage>({ edits: [], bytes: [] }),
    touchpoint: fc.constantFrom<TouchpointName>('password', 'password', 'password', 'password', 'otp', 'proof'),
    token: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<'good' | 'none'>('good', 'good', 'good', 'none') },
      { weight: 1, arbitrary: forgery },
    ),
    parameters: fc.array(
      fc.oneof(
        { weight: 1, arbitrary: hostileSegment },
        { weight: 1, arbitrary: fc.constantFrom('email', 'sms', 'DE', '1') },
      ),
      { minLength: path.split('{').length - 1, maxLength: path.split('{').length - 1 },
    ),
    query: fc.option(
      fc
        .tuple(fc.constantFrom(...query, 'a', '__proto__', 'a[b]', ''), hostileSegment)
        .map(([name, value]) => `${name}=${value}&${name}=${value}`),
      { freq: query.length > 0 ? 1 : 5 },
    ),
    headers: fc.oneof(
      { weight: 2, arbitrary: fc.constant<[string, string][]>([]) },
      {
        weight: 2,
        arbitrary: fc.array(hostileHeader(headers.length > 0 ? headers : COMMON_HEADERS), { maxLength: 2 }),
      },
      { weight: 1, arbitrary: fc.array(hostileHeader(COMMON_HEADERS), { maxLength: 120, size: 'large' }) },
    ),
    mediaType: fc.oneof(
      { weight: 6, arbitrary: fc.constant(mediaTypes[0] ?? null) },
      { weight: 1, arbitrary: fc.constantFrom(...MEDIA_TYPES, null) },
    ),
  });

describe('against hostile requests', () => {
  let target: FuzzTarget;
  let heapBefore: number;
  const operations = documentedOperations();

  beforeAll(async () => {
    target = await FuzzTarget.start({ codes: 40 });
    for (const operation of operations) await attack(operation, WARM_UP_RUNS);
    heapBefore = await target.service.heapInUse();
    target.statuses.clear();
  }, TIMEOUT_MS);
  afterAll(async () => {
    const counts = [...target.statuses].sort(([a], [b]) => a - b);
    const classes = new Map<string, number>();
    for (const [status, count] of counts) {
      const name = `${Math.floor(status / 100)}xx`;
      classes.set(name, (classes.get(name) ?? 0) + count);
    }
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const list = (entries: Iterable<[string | number, number]>) =>
      [...entries].map(([name, count]) => `${name}: ${count}`).join(', ');
    process.stderr.write(`${total} requests; ${list(classes)}\n${list(counts)}\n`);
    expect(await target.stop()).toBe(0);
  });
  afterEach(() => {
    expect(target.complaints).toEqual([]);
  });

  async function requestOf(operation: DocumentedOperation, plan: Plan): Promise<HostileRequest> {
    const { method, path, mediaTypes, example } = operation;
    const parameters = [...plan.parameters];
    const { token, ...good } = await target.goodMembers(path);
    const bearer = typeof token === 'string' ? token : target.token;
    const authorization =
      typeof plan.token === 'function' ? plan.token(bearer, target.signingKey) : plan.token === 'good' ? bearer : null;
    return {
      method,
      target: path.replace(/\{\w+\}/g, () => parameters.pop() ?? '') + (plan.query === null ? '' : `?${plan.query}`),
      headers: [
        ...target.credential(plan.touchpoint),
        ...(authorization === null
          ? []
          : [['Authorization', `Bearer ${asBytes(authorization).replace(HEADER_BYTES, '')}`] as [string, string]]),
        ...(plan.mediaType === null ? [] : [['Content-Type', plan.mediaType] as [string, string]]),
        ...plan.headers,
      ],
      ...(mediaTypes.length > 0 && { body: damaged({ ...example, ...good }, plan.damage) }),
    };
  }

  /** As many requests as `runs`, on some connections at once; a failure is reduced to the smallest that still fails. */
  async function attack(operation: DocumentedOperation, runs: number): Promise<void> {
    const { path } = operation;
    const attackers = Array.from({ length: CONNECTIONS }, async (_, index) => {
      const connection = new RawConnection(target.service.baseUrl);
      const property = fc.asyncProperty(planFor(operation), async (plan) => {
        const { status } = await target.send(connection, await requestOf(operation, plan));
        if (status === 204) await target.renewSession();
      });
      try {
        await fc.assert(property, { seed: fuzzSeed + index, numRuns: Math.ceil(runs / CONNECTIONS) });
      } finally {
        connection.close();
      }
    });
    const outcomes = await Promise.allSettled(attackers);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw new Error(path, { cause: outcome.reason });
  }

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s gives only answers that are documented',
    (_, operation) =>
      attack(
        operation,
        operation.path.includes('activities') || operation.path.includes('otp') ? fuzzRuns / 3 : fuzzRuns,
      ),
    TIMEOUT_MS,
  );

  it('no token is taken but one that the service issued', async () => {
    const connection = new RawConnection(target.service.baseUrl);
    const property = fc.asyncProperty(forgery, async (forge) => {
      const token = asBytes(forge(target.token, target.signingKey)).replace(HEADER_BYTES, '');
      const headers: [string, string][] = [...target.credential('password'), ['Authorization', `Bearer ${token}`]];
      const { status } = await target.send(connection, { method: 'GET', target: '/api/v1/me', headers });
      // 431: it is longer than headers may be, 400: it holds what no header may hold.
      expect([400, 401, 431]).toContain(status);
    });
    await fc.assert(property, { seed: fuzzSeed, numRuns: fuzzRuns * 2 });
    connection.close();
  });

  it('a body is read as JSON and as nothing else', async () => {
    const connection = new RawConnection(target.service.baseUrl);
    const codeFor = async (text: string) => {
      const headers: [string, string][] = [...target.credential('password'), ['Content-Type', 'application/json']];
      const body = Buffer.from(text, 'latin1');
      const answer = await target.send(connection, { method: 'POST', target: '/api/v1/login', headers, body });
      return `${(JSON.parse(answer.body) as { code: string }).code} ${text.slice(0, 60)}`;
    };
    for (const text of JSON_TEXTS.refused) expect(await codeFor(text)).toMatch(/^(MALFORMED_JSON|PAYLOAD_TOO_LARGE) /);
    for (const text of JSON_TEXTS.accepted) expect(await codeFor(text)).toMatch(/^VALIDATION_FAILED /);
    connection.close();
  });

  it('its memory stays as it was', async () => {
    const heapAfter = await target.service.heapInUse();
    process.stderr.write(`heap in use: ${heapBefore} bytes before, ${heapAfter} after\n`);
    expect(heapAfter / heapBefore).toBeLessThan(HEAP_GROWTH);
  });
});
