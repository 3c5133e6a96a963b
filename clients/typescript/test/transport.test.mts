import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { ConsumerServiceClient } from 'consumer-service-client';

describe('the transport', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const clientOf = (baseUrl: string, timeoutSeconds?: number) =>
    new ConsumerServiceClient({
      ...{ baseUrl, touchpoint: { code: 'shop', key: 'tpk_' }, retry: { attempts: 1 } },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`does not carry the key to where a ${status} points`, async () => {
      const keys: (string | string[] | undefined)[] = [];
      const elsewhere = await serve(({ headers }, response) => {
        keys.push(headers['x-touchpoint-key']);
        response.setHeader('Content-Type', 'application/json').end('[]');
      });
      const baseUrl = await serve((request, response) => {
        response.writeHead(status, { Location: elsewhere + request.url }).end();
      });
      await assert.rejects(clientOf(baseUrl).countries(), TypeError);
      await assert.rejects(clientOf(baseUrl).as('t').logout(), TypeError);
      assert.deepEqual(keys, []);
    });
  }

  it('gives up on a service that never answers, and on one that never ends its answer', async () => {
    const silent = await serve(() => undefined);
    const endless = await serve((_, response) => {
      response.setHeader('Content-Type', 'application/json').write('[');
    });
    for (const baseUrl of [silent, endless]) {
      await assert.rejects(clientOf(baseUrl, 0.1).countries(), { name: 'TimeoutError' });
    }
  });

  it('ends a call when its caller gives up, or when its time is over, whichever is first', async () => {
    const baseUrl = await serve(() => undefined);
    const leaving = AbortSignal.timeout(50);
    const began = performance.now();
    await assert.rejects(clientOf(baseUrl, 20).countries('en', { signal: leaving }), { name: 'TimeoutError' });
    const patient = new AbortController();
    await assert.rejects(clientOf(baseUrl, 0.1).countries('en', { signal: patient.signal }), { name: 'TimeoutError' });
    assert.ok(performance.now() - began < 5000);
  });
});
