import fc from 'fast-check';
import { register } from '../support/api/consumers';
import { fuzzRuns, fuzzSeed, TIMEOUT_MS } from '../support/fuzz/settings';
import { FuzzTarget } from '../support/fuzz/target';
import { converse, expectHarmless, text } from '../support/fuzz/conversation';

describe('against hostile bytes on a connection', () => {
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
});
