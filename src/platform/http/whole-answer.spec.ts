import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchWhole } from './whole-answer';

const MAX_BYTES = 1_000;

describe('a whole answer', () => {
  const original = globalThis.fetch;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    // As Node's own does when garbage is collected after the headers.
    globalThis.fetch = (input, init) => original(input, { ...init, signal: null });
    server = createServer(({ url: path }, response) => {
      if (path === '/whole') return response.end('whole');
      if (path === '/large') return response.end('x'.repeat(MAX_BYTES + 1));
      response.write('{');
      const timer = setInterval(() => response.write(' '), 10);
      return response.on('close', () => {
        clearInterval(timer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    globalThis.fetch = original;
    await new Promise((resolve) => server.close(resolve));
  });

  const get = (path: string) => fetchWhole(url + path, { signal: AbortSignal.timeout(200) }, MAX_BYTES);

  it('is given when it has ended', async () => {
    expect(await (await get('/whole')).text()).toBe('whole');
  });

  it('is not waited for longer than the deadline, even if fetch has forgotten it', async () => {
    await expect(get('/endless')).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is refused when it is too large', async () => {
    await expect(get('/large')).rejects.toThrow('The answer is larger than 1000 bytes');
  });
});
