import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { register } from '../../support/api/consumers';
import { HOST, JSON_TYPE, withLength } from '../../support/http/raw-cases';
import { answerTo, rawRequest } from '../../support/http/raw-http';
import { EVENTS, SubscriberClient } from '../../support/api/subscribers';
import { TestService } from '../../support/service/test-service';

interface Response {
  $ref?: string;
  content?: Record<string, { examples?: Record<string, unknown> }>;
}

interface Document {
  paths: Record<string, Record<string, { responses?: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

const document = JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8')) as Document;

/** Why an answer is not provoked here, and where it is. */
const ELSEWHERE: Record<string, string> = {
  REQUEST_TIMEOUT: 'takes ten seconds each: api-adapter.integration-spec.ts',
  INTERNAL: 'is a fault, for which nobody can ask: failures.e2e-spec.ts',
  SERVICE_UNAVAILABLE: 'needs a database that is away: failures.e2e-spec.ts',
  CURSOR_EXPIRED: 'needs events of last month: feed.integration-spec.ts',
};

const documented = Object.entries(document.paths)
  .filter(([path]) => !path.startsWith('/api/v1/'))
  .flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses = {} }]) =>
      Object.entries(responses).flatMap(([status, listed]) => {
        const name = listed.$ref?.split('/').at(-1) ?? '';
        const { content = {} } = document.components.responses[name] ?? listed;
        const codes = Object.keys(content['application/problem+json']?.examples ?? { '': null });
        return codes.map((code) => ({ line: `${method.toUpperCase()} ${path}`, status: Number(status), code }));
      }),
    ),
  );

const READ = 'GET /integration/v1/consumers/{customerId}';
const FEED = `GET ${EVENTS}`;
const ACK = `POST ${EVENTS}/ack`;

/** What is sent instead of a good request; undefined: the code needs another way. */
interface Wish {
  headers?: Record<string, string>;
  query?: string;
  body?: string;
}

const OF_CODES: Record<string, Wish> = {
  '': {},
  BAD_REQUEST: { headers: { Host: '' } },
  EXPECTATION_FAILED: { headers: { Expect: 'a miracle' } },
  HEADERS_TOO_LARGE: { headers: { 'X-Long': 'x'.repeat(16 * 1024) } },
  SUBSCRIBER_UNAUTHORIZED: { headers: { 'X-Subscriber-Key': 'wrong' } },
  MALFORMED_JSON: { body: '{' },
  PAYLOAD_TOO_LARGE: { body: JSON.stringify({ position: 'x'.repeat(17 * 1024) }) },
  UNSUPPORTED_MEDIA_TYPE: { headers: { 'Content-Type': 'text/plain' } },
};

describe('every documented answer outside of /api/v1', () => {
  let app: TestService;
  let subscriber: SubscriberClient;
  let reading: SubscriberClient;
  let customerId: string;

  beforeAll(async () => {
    app = await TestService.start({ env: { SANDBOX: 'true', RATE_LIMIT_SUSTAINED: '40' } });
    ({ customerId } = await register(await app.client()));
    subscriber = await SubscriberClient.create(app);
    reading = await SubscriberClient.create(app, '--read-consumers');
  });
  afterAll(() => app.close());

  /** The answer is compared with the document. */
  const codeOf = async (line: string, { headers = {}, query = '', body }: Wish, id = customerId) => {
    const given = line === ACK ? (body ?? '{"position":"0"}') : '';
    const all: Record<string, string> = {
      ...{ ...HOST, Connection: 'close', ...(line === READ ? reading : subscriber).api.headers },
      ...(line === ACK && { ...JSON_TYPE, ...withLength(given) }),
      ...headers,
    };
    const { Host, ...others } = all;
    const target = line.replace('{customerId}', id) + query;
    const lines = { ...(Host !== '' && { Host }), ...others } as Record<string, string>;
    const answer = await answerTo(app.baseUrl, rawRequest(target, lines, given), { untilClosed: true });
    const { code = '' } = answer.status < 400 ? {} : (JSON.parse(answer.body) as { code: string });
    return { status: answer.status, code };
  };

  it('comes by a request for it', async () => {
    const wanted = documented.filter(({ code }) => !(code in ELSEWHERE));
    const reached: typeof wanted = [];
    const reach = async (line: string, wish: Wish, id?: string) => {
      reached.push({ line, ...(await codeOf(line, wish, id)) });
    };
    for (const { line, code } of wanted) {
      const wish = OF_CODES[code];
      if (wish) await reach(line, wish);
    }
    await reach(FEED, { query: '?limit=0' });
    await reach(ACK, { body: '{"position":"x"}' });
    await reach(READ, {}, '01a1fc6f-0000-7000-8000-000000000000');
    reading = subscriber;
    await reach(READ, {});
    const subscribed = wanted.filter(({ code }) => code === 'RATE_LIMITED');
    for (let count = 0; (await codeOf(FEED, {})).status !== 429; count += 1) expect(count).toBeLessThan(40);
    for (const { line } of subscribed) await reach(line, {});

    const lines = (all: typeof wanted) => all.map((one) => `${one.line} ${one.status} ${one.code}`).sort();
    expect(lines(reached)).toEqual(lines(wanted));
    expect(wanted.length).toBeGreaterThan(30);
  });

  it('that is missing here is one that the document has', () => {
    const codes = documented.map(({ code }) => code);
    expect(Object.keys(ELSEWHERE).filter((code) => !codes.includes(code))).toEqual([]);
  });
});
