import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { register } from '../support/consumers';
import { expectDocumented } from '../support/documented-answers';
import { fuzzRuns, fuzzSeed, TIMEOUT_MS } from '../support/fuzz-settings';
import { FuzzTarget } from '../support/fuzz-target';
import { type RawAnswer, readAnswers } from '../support/raw-http';

/** A bound against hanging: the slowest client is cut off after half a minute. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 1_000;

interface Conversation {
  answers: RawAnswer[];
  /** Whether what came is answers and nothing else. */
  isWhole: boolean;
}

interface Sending {
  /** Sent one after the other, with a pause between. */
  slowly?: Iterable<Buffer>;
  /** Sent as fast as the server takes it. */
  endlessly?: Buffer;
  /** Whether the client says when it has sent everything. */
  ends?: boolean;
}

/** Everything that the server says until it ends the connection. */
function converse(baseUrl: string, bytes: Buffer, { slowly = [], endlessly, ends = false }: Sending = {}) {
  return new Promise<Conversation>((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const settle = () => {
      clearTimeout(bound);
      socket.destroy();
      const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD ';
      const answers = readAnswers(received, isHead);
      const isWhole =
        answers.every(({ status }) => status >= 100 && status < 600) &&
        !/^(?!HTTP\/1\.1 )./.test(received.toString('latin1'));
      resolve({ answers, isWhole });
    };
    const bound = setTimeout(() => {
      socket.destroy();
      reject(new Error(`The connection was not ended after ${PATIENCE_MS} ms`));
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    for (const event of ['end', 'error', 'close'] as const) socket.on(event, settle);
    const pour = () => {
      while (endlessly && socket.writable) if (!socket.write(endlessly)) return;
    };
    socket.on('drain', pour);
    socket.write(bytes);
    pour();
    void (async () => {
      for (const part of slowly) {
        await sleep(PAUSE_MS);
        if (!socket.writable) return;
        socket.write(part);
      }
      if (ends) socket.end();
    })();
  });
}

describe('against hostile connections', () => {
  let target: FuzzTarget;
  let baseUrl: string;
  let lines: string[];

  beforeAll(async () => {
    target = await FuzzTarget.start({ codes: 0 });
    baseUrl = target.service.baseUrl;
    lines = target.credential('password').map(([name, value]) => `${name}: ${value}`);
  }, TIMEOUT_MS);
  afterAll(async () => {
    expect(await target.stop()).toBe(0);
  });
  afterEach(async () => {
    expect(target.complaints).toEqual([]);
    expect((await target.client().get('/api/v1/reference/countries')).status).toBe(200);
  });

  const text = (...parts: string[]) => Buffer.from(parts.join('\r\n'), 'latin1');

  /** Of answers to what is no request any more, only that they are not the server's fault. */
  const expectHarmless = ({ answers, isWhole }: Conversation) => {
    expect(isWhole).toBe(true);
    for (const { status, body } of answers) {
      if (status >= 500 && status !== 501) throw new Error(`${status} ${body}`);
      if (status >= 400 && body !== '') expect(JSON.parse(body)).toMatchObject({ status });
    }
  };

  it(
    'no damage to the bytes of two requests makes it fail or hang',
    async () => {
      const { token } = await register(target.client());
      const body = JSON.stringify({ firstName: 'Ada', attributes: { a: 1 } });
      const requests = [
        text(
          'PATCH /api/v1/me HTTP/1.1',
          'Host: a',
          ...lines,
          `Authorization: Bearer ${token}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          '',
          body,
        ),
        text(
          'POST /api/v1/login HTTP/1.1',
          'Host: a',
          ...lines,
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
          '',
          '2;x=y',
          '{}',
          '0',
          'Trailer: x',
          '',
          '',
        ),
        text('GET /api/v1/reference/countries HTTP/1.1', 'Host: a', ...lines, 'If-None-Match: "x", W/"y"', '', ''),
      ];
      const damage = fc.record({
        order: fc.shuffledSubarray([0, 1, 2], { minLength: 1 }),
        changes: fc.array(
          fc.record({
            at: fc.nat(2_000),
            remove: fc.integer({ min: 0, max: 5 }),
            insert: fc.oneof(
              fc.uint8Array({ maxLength: 4 }),
              fc
                .constantFrom(
                  '\r',
                  '\n',
                  '\r\n',
                  '\r\n\r\n',
                  '\0',
                  ' ',
                  '\t',
                  ':',
                  ',',
                  '\r\n ',
                  '\n\n',
                  'HTTP/1.1',
                  '\xff',
                )
                .map((bytes) => Buffer.from(bytes, 'latin1')),
            ),
          }),
          { minLength: 1, maxLength: 4 },
        ),
      });
      const property = fc.asyncProperty(damage, async ({ order, changes }) => {
        let bytes = Buffer.concat(order.map((index) => requests[index] ?? Buffer.alloc(0)));
        for (const { at, remove, insert } of changes) {
          const position = at % bytes.length;
          bytes = Buffer.concat([bytes.subarray(0, position), insert, bytes.subarray(position + remove)]);
        }
        expectHarmless(await converse(baseUrl, bytes, { ends: true }));
      });
      await fc.assert(property, { seed: fuzzSeed, numRuns: fuzzRuns * 2 });
    },
    TIMEOUT_MS,
  );

  it(
    'no request is performed that another one hides, however its length is told',
    async () => {
      const { token } = await register(target.client());
      const hidden = text(
        'POST /api/v1/logout HTTP/1.1',
        'Host: a',
        ...lines,
        `Authorization: Bearer ${token}`,
        'Content-Length: 0',
        '',
        '',
      ).toString('latin1');
      const chunks = `0\r\n\r\n${hidden}`;
      const contentLengths = [
        '0',
        '2',
        '+2',
        '-1',
        '0x2',
        '2, 2',
        '2,3',
        '2 3',
        '1e1',
        '٢',
        '',
        '99999999999999999999',
        String(chunks.length),
        String(hidden.length),
      ];
      const encodings = [
        'chunked',
        ' chunked',
        'Chunked',
        'xchunked',
        'chunked, identity',
        'identity',
        'gzip, chunked',
        'chunked, chunked',
        'chunked\t',
        '"chunked"',
        'chunked;q=1',
        'chu\u000bnked',
        '',
      ];
      const framing = fc.uniqueArray(
        fc.oneof(
          fc.constantFrom(...contentLengths).map((value) => `Content-Length: ${value}`),
          fc.constantFrom(...encodings).map((value) => `Transfer-Encoding: ${value}`),
          fc.constantFrom(...encodings).map((value) => `Transfer-Encoding : ${value}`),
          fc.constantFrom(...encodings).map((value) => `X-Folded: a\r\n Transfer-Encoding: ${value}`),
          fc.constantFrom(...encodings).map((value) => `X-Bare: a\nTransfer-Encoding: ${value}`),
        ),
        { minLength: 2, maxLength: 3 },
      );
      const bodies = fc.constantFrom(
        hidden,
        chunks,
        `2\r\n{}\r\n${chunks}`,
        `2\n{}\n0\n\n${hidden}`,
        `2 \r\n{}\r\n${chunks}`,
        `2;\n${chunks}`,
        `-2\r\n{}\r\n${chunks}`,
        `0x2\r\n{}\r\n${chunks}`,
        `100000000000000002\r\n{}\r\n${chunks}`,
      );
      const property = fc.asyncProperty(
        framing,
        bodies,
        fc.constantFrom('/api/v1/login', '/api/v1/logout', '/api/v1/none', '/health/live'),
        async (headers, body, path) => {
          const bytes = Buffer.from(
            text(`POST ${path} HTTP/1.1`, 'Host: a', ...lines, 'Content-Type: application/json', ...headers, '', body),
          );
          const conversation = await converse(baseUrl, bytes, { ends: true });
          expectHarmless(conversation);
          expect(conversation.answers.map(({ status }) => status)).not.toContain(204);
          expect((await target.client().as(token).get('/api/v1/me')).status).toBe(200);
        },
      );
      await fc.assert(property, { seed: fuzzSeed, numRuns: fuzzRuns * 2 });
      expect((await target.client().as(token).get('/api/v1/me')).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'ends a connection on which something never ends',
    async () => {
      const start = ['POST /api/v1/login HTTP/1.1', 'Host: a', ...lines];
      const json = [...start, 'Content-Type: application/json', 'Transfer-Encoding: chunked', ''];
      const endless: Record<string, [Buffer, Buffer, number]> = {
        'a method': [text('A'), Buffer.alloc(4096, 'A'), 400],
        'a path': [text('GET /'), Buffer.alloc(4096, 'a'), 431],
        'a header name': [text(...start, 'X'), Buffer.alloc(4096, 'a'), 431],
        'a header value': [text(...start, 'X-A: '), Buffer.alloc(4096, 'a'), 431],
        headers: [text(...start, ''), Buffer.from('X-A: a\r\n'.repeat(500)), 431],
        'a chunk': [text(...json, ''), Buffer.from(`1000\r\n${'x'.repeat(4096)}\r\n`), 413],
        'tiny chunks': [text(...json, ''), Buffer.from('1\r\nx\r\n'.repeat(500)), 413],
        "a chunk's extension": [text(...json, '1;'), Buffer.alloc(4096, 'a'), 413],
        trailers: [text(...json, '0', ''), Buffer.from('X-A: a\r\n'.repeat(500)), 431],
      };
      for (const [name, [head, rest, status]] of Object.entries(endless)) {
        const { answers } = await converse(baseUrl, head, { endlessly: rest });
        // Who goes on sending for too long is reset, and may then not see the answer.
        expect([[name], [name, status]]).toContainEqual([name, ...answers.map((answer) => answer.status)]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'cuts off whoever is slow',
    async () => {
      const letters = function* () {
        for (;;) yield Buffer.from('a');
      };
      const login = ['POST /api/v1/login HTTP/1.1', 'Host: a', ...lines, 'Content-Type: application/json'];
      const slow: Record<string, Buffer> = {
        'from the first byte': Buffer.alloc(0),
        'in its first line': text('GET /'),
        'in its headers': text('GET /api/v1/me HTTP/1.1', 'Host: a', 'X-A: '),
        'in its body': text(...login, 'Content-Length: 1000', '', '{"'),
      };
      const outcomes = Object.entries(slow).map(async ([name, bytes]) => {
        const silent = name === 'from the first byte';
        const { answers } = await converse(baseUrl, bytes, { slowly: silent ? [] : letters() });
        for (const answer of answers) {
          const header = (field: string) => answer.headers[field.toLowerCase()];
          expectDocumented('POST', '/api/v1/login', { ...answer, header });
        }
        return [name, answers.map(({ status }) => status)];
      });
      const late = Object.keys(slow).map((name) => [name, [408]]);
      expect(await Promise.all(outcomes)).toEqual(late);
    },
    TIMEOUT_MS,
  );

  it('goes on while hundreds of connections lie idle', async () => {
    const { hostname, port } = new URL(baseUrl);
    const sockets = Array.from({ length: 500 }, () => connect({ host: hostname, port: Number(port) }));
    for (const socket of sockets) socket.on('error', () => undefined);
    for (let round = 0; round < 20; round += 1) {
      expect((await target.client().get('/api/v1/reference/countries')).status).toBe(200);
    }
    for (const socket of sockets) socket.destroy();
  });
});
