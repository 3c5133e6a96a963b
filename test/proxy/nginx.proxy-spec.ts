import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/service/free-port';
import { Nginx } from '../support/proxy/nginx';
import { rawRequest, sendRaw } from '../support/http/raw-http';
import { ServiceProcess } from '../support/service/service-process';
import { createTestDatabase } from '../support/service/database/test-database';

/** A server that keeps what it was asked. */
async function upstream(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    request.resume().once('end', () => {
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

const answers = () => upstream((_, response) => response.end());
const breaksOff = () => upstream((request) => request.socket.destroy());

/** What the tests have started, the latest first. */
const started: (() => unknown)[] = [];
const stopAll = async () => {
  for (const stop of started.splice(0)) await stop();
};

async function startNginx(urls: string[]): Promise<Nginx> {
  const nginx = await Nginx.start(urls);
  started.unshift(() => nginx.stop());
  return nginx;
}

/** Replicas on one database, as in docker/compose.scale.yaml. */
async function startReplicas(count: number): Promise<ServiceProcess[]> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined) throw new Error('Replicas need PostgreSQL: set TEST_DATABASE_URL');
  const database = await createTestDatabase(server);
  started.unshift(() => database.drop());
  const dataDir = mkdtempSync(join(tmpdir(), 'replicas-'));
  started.unshift(() => {
    rmSync(dataDir, { recursive: true });
  });
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  const starting = Array.from({ length: count }, async () => {
    const service = await ServiceProcess.start(settings);
    started.unshift(() => service.kill('SIGKILL'));
    return service;
  });
  return Promise.all(starting);
}

async function stub(make: typeof answers) {
  const server = await make();
  started.push(server.close);
  return server;
}

describe('nginx in front of the service', () => {
  let services: ServiceProcess[];
  let nginx: Nginx;

  beforeAll(async () => {
    services = await startReplicas(2);
    nginx = await startNginx(services.map(({ baseUrl }) => baseUrl));
  });
  afterAll(stopAll);

  it('is itself healthy when a replica gives it the public keys', async () => {
    expect((await fetch(`${nginx.baseUrl}/.well-known/jwks.json`)).status).toBe(200);
  });

  it.each(['/health/ready', '/health/live', '/health', '/metrics', '/%68ealth/ready', '/x/../health/ready'])(
    'keeps %s from strangers',
    async (path) => {
      const { answers } = await sendRaw(nginx.baseUrl, rawRequest(`GET ${path}`, { Host: 'localhost' }));
      expect(answers).toMatchObject([{ status: 404, headers: { 'content-type': 'application/problem+json' } }]);
      expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  it('passes the request id on', async () => {
    const { headers } = await fetch(`${nginx.baseUrl}/api/v1/me`, { headers: { 'X-Request-Id': 'from-the-caller' } });
    expect(headers.get('X-Request-Id')).toBe('from-the-caller');
  });

  it('logs the id of the answer, but no header, query or body', async () => {
    const secret = 'never-to-be-logged';
    const { headers } = await fetch(`${nginx.baseUrl}/api/v1/login?password=${secret}`, {
      method: 'POST',
      headers: { 'X-Touchpoint-Code': secret, 'X-Touchpoint-Key': secret, Authorization: `Bearer ${secret}` },
      body: secret,
    });
    const id = headers.get('X-Request-Id') ?? '';
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(nginx.log()).toContain(`"requestId":"${id}","method":"POST","path":"/api/v1/login"`);
    expect(nginx.log()).not.toContain(secret);
  });

  it('leaves it to the service to refuse a large body, the credential first', async () => {
    const response = await fetch(`${nginx.baseUrl}/api/v1/register`, {
      method: 'POST',
      body: 'x'.repeat(5_000_000),
    });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'TOUCHPOINT_UNAUTHORIZED' }]);
  });

  it('leaves the path as the client sent it', async () => {
    const { status } = await fetch(`${nginx.baseUrl}//health/ready`);
    expect(status).toBe(401);
  });

  it('refuses headers that are too large as the service does', async () => {
    const response = await fetch(`${nginx.baseUrl}/health/live`, { headers: { 'X-Large': 'x'.repeat(40_000) } });
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect([response.status, await response.json()]).toMatchObject([431, { code: 'HEADERS_TOO_LARGE' }]);
  });

  it.each<[what: string, line: string, headers: Record<string, string>, status: number, code: string]>([
    ['a path with a broken escape', 'GET /api/v1/%zz', {}, 400, 'BAD_REQUEST'],
    ['a path that ends within an escape', 'GET /%', {}, 400, 'BAD_REQUEST'],
    ['a path above the root', 'GET /../x', {}, 400, 'BAD_REQUEST'],
    ['the path of its own answers', 'GET /../unavailable', {}, 400, 'BAD_REQUEST'],
    ['a path with NUL', 'GET /a%00b', {}, 400, 'BAD_REQUEST'],
    ['a request line that is too long', `GET /api/v1/me?q=${'x'.repeat(25_000)}`, {}, 400, 'BAD_REQUEST'],
    ['an unknown transfer coding', 'POST /api/v1/login', { 'Transfer-Encoding': 'gzip' }, 400, 'BAD_REQUEST'],
    ['a tunnel to elsewhere', 'CONNECT example.com:443', {}, 400, 'BAD_REQUEST'],
    ['a tunnel to a path', 'CONNECT /api/v1/me', {}, 405, 'METHOD_NOT_ALLOWED'],
    ['TRACE', 'TRACE /api/v1/me', {}, 405, 'METHOD_NOT_ALLOWED'],
  ])('refuses %s in the shape of every error', async (_, line, headers, status, code) => {
    const { answers } = await sendRaw(nginx.baseUrl, rawRequest(line, { Host: 'localhost', ...headers }));
    const [answer, ...others] = answers;
    expect(others).toEqual([]);
    const problem = JSON.parse(answer?.body ?? '') as Record<string, unknown>;
    expect(answer?.headers['content-type']).toBe('application/problem+json');
    expect([answer?.status, problem]).toMatchObject([status, { code, status }]);
    expect(answer?.headers['x-request-id']).toBe(problem.requestId);
  });

  it('leaves it to the service to answer where a path is not the one of an answer of nginx', async () => {
    for (const path of ['/unavailable', '/bad-request', '/%252e%252e/unavailable']) {
      expect((await fetch(nginx.baseUrl + path)).status).toBe(401);
    }
  });

  it('asks the other replica when one is dead, whatever the method', async () => {
    await services[0]?.kill('SIGKILL');
    const requests = Array.from({ length: 20 }, (_, index) =>
      fetch(`${nginx.baseUrl}/api/v1/login`, { method: index % 2 ? 'POST' : 'GET' }),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401]));
  });
});

describe('nginx in front of servers that misbehave', () => {
  afterEach(stopAll);

  it.each(['POST', 'PATCH'])('never repeats a %s that was sent', async (method) => {
    const [broken, whole] = [await stub(breaksOff), await stub(answers)];
    const nginx = await startNginx([broken.url, whole.url]);
    const received: Response[] = [];
    for (let request = 0; request < 4; request++) {
      received.push(await fetch(`${nginx.baseUrl}/api/v1/me`, { method, body: '{}' }));
    }
    expect(broken.received.length).toBeGreaterThan(0);
    expect(broken.received.length + whole.received.length).toBe(received.length);
    const lost = received.filter(({ status }) => status === 503);
    expect(lost).toHaveLength(broken.received.length);
    // It may have been carried out: nothing invites the caller to send it again.
    expect(lost.map(({ headers }) => headers.get('Retry-After'))).toEqual(lost.map(() => null));
  });

  it('says of a POST that a second replica broke off, after the first was away, nothing of another try', async () => {
    const broken = await stub(breaksOff);
    const nginx = await startNginx([`http://127.0.0.1:${await freePort()}`, broken.url]);
    const { status, headers } = await fetch(`${nginx.baseUrl}/api/v1/me`, { method: 'POST', body: '{}' });
    expect([status, headers.get('Retry-After'), broken.received.length]).toEqual([503, null, 1]);
  });

  it('repeats a GET that was broken off', async () => {
    const [broken, whole] = [await stub(breaksOff), await stub(answers)];
    const nginx = await startNginx([broken.url, whole.url]);
    for (let request = 0; request < 4; request++) {
      expect((await fetch(`${nginx.baseUrl}/api/v1/me`)).status).toBe(200);
    }
    expect(broken.received.length).toBeGreaterThan(0);
  });

  it('answers 503 in the shape of every error when no replica can be reached', async () => {
    const nginx = await startNginx([`http://127.0.0.1:${await freePort()}`]);
    const response = await fetch(`${nginx.baseUrl}/api/v1/me`);
    const problem = (await response.json()) as Record<string, unknown>;
    expect([response.status, problem.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(response.headers.get('Retry-After')).toBe('2');
    expect(response.headers.get('X-Request-Id')).toBe(problem.requestId);
  });

  it("passes the touchpoint's headers on and drops what a client says of its own way here", async () => {
    const server = await stub(answers);
    const nginx = await startNginx([server.url]);
    const kept = { 'x-touchpoint-code': 'demo', 'x-consumer-ip': '192.0.2.1', 'idempotency-key': 'once' };
    const dropped = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP'];
    await fetch(nginx.baseUrl, {
      headers: { ...kept, ...Object.fromEntries(dropped.map((name) => [name, 'made-up'])) },
    });
    const [request] = server.received;
    expect(request?.headers).toMatchObject(kept);
    expect(Object.values(request?.headers ?? {})).not.toContain('made-up');
  });
});
