import { connect } from 'node:net';
import { expectDocumented } from '../support/api/documented-answers';
import { TIMEOUT_MS } from '../support/fuzz/settings';
import { FuzzTarget } from '../support/fuzz/target';
import { converse, text } from '../support/fuzz/conversation';

describe('against connections that do not end', () => {
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
