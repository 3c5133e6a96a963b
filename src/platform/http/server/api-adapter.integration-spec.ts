import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../../test/support/api/api-client';
import { HOST, statusAndCode } from '../../../../test/support/http/raw-cases';
import { rawRequest, sendRaw } from '../../../../test/support/http/raw-http';
import { TestApp } from '../../../../test/support/in-process/test-app';
import type { ApiAdapter } from './api-adapter';

describe('the connections of the service', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
  });
  afterAll(() => app.close());

  it('leave nothing behind when their client goes before they have had their turn', async () => {
    const { responses, sockets } = (app.nest.getHttpAdapter() as unknown as ApiAdapter).open;
    const { hostname, port } = new URL(app.baseUrl);
    const countries = rawRequest('GET /api/v1/reference/countries', { ...HOST, ...client.headers });
    const before = sockets.size;
    for (let round = 0; round < 5; round += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(countries.repeat(50));
      await once(socket, 'data');
      socket.destroy();
      while (sockets.size > before) await sleep(5);
    }
    expect(responses.size).toBe(0);
  });

  it('have the documented time limits', () => {
    expect(app.nest.getHttpServer()).toMatchObject({
      ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
    });
  });

  it('end with 408 when a request does not arrive in time', async () => {
    (app.nest.getHttpServer() as Server).headersTimeout = 1_000;
    const { answers } = await sendRaw(app.baseUrl, 'GET /api/v1/me HTTP/1.1\r\nHost: a\r\n', { untilClosed: true });
    expect(answers.map(statusAndCode)).toEqual(['408 REQUEST_TIMEOUT']);
    expect(answers[0]?.headers['content-type']).toBe('application/problem+json');
  });
});
