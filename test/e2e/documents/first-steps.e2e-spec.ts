import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUrlOf } from '../../support/service/database/database';
import { freePort } from '../../support/service/free-port';
import { until } from '../../support/until';
import { ServiceProcess } from '../../support/service/service-process';
import { TestService } from '../../support/service/test-service';

const ROOT = join(__dirname, '../../..');
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

interface ApiDocument {
  paths: Record<string, { post?: { requestBody: { content: Record<string, { examples: Record<string, Example> }> } } }>;
}
interface Example {
  value: { email?: string };
}

describe('the first steps of somebody new', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'first-steps-'));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  describe('with a running service', () => {
    let app: TestService;

    beforeAll(async () => {
      app = await TestService.shared();
    });

    it('lead a browser from the bare address to the documentation', async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(app.baseUrl, { method, headers: { Accept: BROWSER }, redirect: 'manual' });
        expect([method, answer.status, answer.headers.get('location')]).toEqual([method, 302, '/docs/start']);
        expect(answer.headers.get('vary')).toBe('Accept');
      }
      const page = await fetch(app.baseUrl, { headers: { Accept: BROWSER } });
      expect([page.status, new URL(page.url).pathname]).toEqual([200, '/docs/start']);
      expect(await page.text()).toContain('<h1 id="start-here">');
    });

    it.each([['*/*'], ['application/json'], ['text/html;q=0.5, application/problem+json'], [undefined]])(
      'tell a program that accepts %s only that it needs a credential there',
      async (accept) => {
        const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
        const answer = await fetch(app.baseUrl, { headers, redirect: 'manual' });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'application/problem+json']);
        const { headers: credential } = await app.client();
        const known = await fetch(app.baseUrl, { headers: { ...headers, ...credential }, redirect: 'manual' });
        expect(known.status).toBe(404);
      },
    );

    it('lead nobody away who sends something there, nor from any other path', async () => {
      const statusOf = async (path: string, method: string) =>
        (await fetch(app.baseUrl + path, { method, headers: { Accept: BROWSER }, redirect: 'manual' })).status;
      expect(await statusOf('/', 'POST')).toBe(401);
      for (const path of ['//', '/index.html', '/api', '/api/v1/']) expect(await statusOf(path, 'GET')).toBe(401);
    });

    it('register another address by each of the guides, so that none is refused after another', async () => {
      const pages = ['start', 'getting-started'].map((name) => fetch(`${app.baseUrl}/docs/${name}`));
      const texts = await Promise.all(pages.map(async (page) => (await page).text()));
      const document = (await (await fetch(`${app.baseUrl}/openapi.json`)).json()) as ApiDocument;
      const { content } = document.paths['/api/v1/register']?.post?.requestBody ?? { content: {} };
      const proposed = Object.values(content)[0]?.examples.usual?.value.email;
      const registeredIn = (text: string) => /"email": ?"([^"]+)"/.exec(text.replaceAll('&quot;', '"'))?.[1];
      const addresses = [readFileSync(join(ROOT, 'README.md'), 'utf8'), ...texts].map(registeredIn).concat(proposed);
      for (const address of addresses) expect(address).toMatch(/@example\.com$/);
      expect(new Set(addresses).size).toBe(addresses.length);
    });
  });

  it('are told where the service is when it is ready, and that the port is in use when it is', async () => {
    const service = await ServiceProcess.start({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
    expect(service.output.join('')).toContain(`The service is ready at ${service.baseUrl}"`);
    const { port } = new URL(service.baseUrl);
    const second = await ServiceProcess.launch({
      DATA_DIR: join(dataDir, 'second'),
      DATABASE_URL: databaseUrlOf({ DATA_DIR: dataDir }),
      PORT: port,
    });
    expect(await second.end()).toBe(1);
    expect(second.output.join('')).toContain(`Port ${port} is in use: stop what listens there, or set another one`);
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  it('are told at once, and without the password, why a database that was named cannot be used', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const env = { DATA_DIR: dataDir, DATABASE_URL: `postgres://somebody:a-secret@${host}/consumers` };
    const service = await ServiceProcess.launch(env);
    await until(() => service.output.length > 0);
    const [line = ''] = service.output.join('').split('\n');
    await service.kill('SIGKILL');
    expect(line).toContain(`The database at ${host} cannot be used: connect ECONNREFUSED ${host}`);
    expect(service.output.join('')).not.toContain('a-secret');
  });

  it('run the tests of one file alone when they name it', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { test: string } };
    const run = (...names: string[]) =>
      spawnSync('sh', ['-c', `${scripts.test} "$@"`, 'sh', ...names], { cwd: ROOT, encoding: 'utf8' });
    const one = run('values/base-url');
    expect([one.stdout, one.status]).toEqual([expect.stringMatching(/^[1-9] passed, 0 failed\n$/), 0]);
    const chosen = run('base-url', '-t', '0.0.0.0');
    expect([chosen.stdout, chosen.status]).toEqual(['1 passed, 0 failed\n', 0]);
  });
});
