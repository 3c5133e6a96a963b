import { TestApp } from '../support/test-app';
import { sendRaw, rawRequest } from '../support/raw-http';
describe('x', () => {
  let app: TestApp;
  beforeAll(async () => { app = await TestApp.start(); });
  afterAll(() => app.close());
  it('resets', async () => {
    const out: Record<string, number> = {};
    const client = await app.client();
    const big = 'x'.repeat(1_000_000);
    for (let i = 0; i < 50; i++) {
      for (const [n, h] of [['no', {}], ['yes', client.headers]] as const) {
      const r = await fetch(app.baseUrl + '/api/v1/login', { method: 'POST', headers: { ...h, 'Content-Type': 'application/json' }, body: big }).then(async (r) => `${r.status} ${(await r.text()).length}`, (e: any) => `${e.cause?.code} ${e.cause?.message}`);
      out[n + r] = (out[n + r] ?? 0) + 1;
      }
      const { answers } = await sendRaw(app.baseUrl, rawRequest('POST /api/v1/login', { Host: 'a', 'Content-Length': '10000000' }, big));
      const k = 'raw ' + (answers[0]?.status);
      out[k] = (out[k] ?? 0) + 1;
    }
    console.log(out);
    // garbage socket stays open?
    console.log(await sendRaw(app.baseUrl, 'GARBAGE\r\n\r\n', { untilClosed: true }).catch(e => e.message));
    const net = await import('node:net');
    const t = Date.now();
    const s = net.connect({ port: Number(new URL(app.baseUrl).port), allowHalfOpen: true });
    s.write('GARBAGE\r\n\r\n'); s.resume();
    await new Promise<void>((res) => { s.on('end', () => console.log('end', Date.now() - t)); setTimeout(res, 15000); });
    console.log('conns', await new Promise((r) => app.nest.getHttpServer().getConnections((_: any, n: any) => r(n))));
    s.destroy();
    console.log(await sendRaw(app.baseUrl, rawRequest('POST /api/v1/login', { Host: 'a', 'Content-Length': '5', Expect: '100-continue' })));
  }, 60000);
});
