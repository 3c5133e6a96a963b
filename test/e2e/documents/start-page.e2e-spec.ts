import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { blocksOf } from '../../support/documents/code-blocks';
import { Shell } from '../../support/documents/shell';
import { TestService } from '../../support/service/test-service';

describe('the first page of the documentation', () => {
  let app: TestService;
  let html: string;
  let given: Record<string, string>;

  beforeAll(async () => {
    app = await TestService.shared();
    html = await (await fetch(`${app.baseUrl}/docs/start`)).text();
    const { headers } = await app.client();
    const [code, key] = [headers['X-Touchpoint-Code'] ?? '', headers['X-Touchpoint-Key'] ?? ''];
    given = { API: app.baseUrl, TOUCHPOINT_CODE: code, TOUCHPOINT_KEY: key };
  });

  it('leads to a first consumer by commands that answer as it says, twice for the same one', async () => {
    const [settings, countries, register, ...others] = blocksOf(html, 'sh').map(({ code }) => code);
    expect(settings?.match(/^export \w+/gm)).toEqual(Object.keys(given).map((name) => `export ${name}`));
    expect(others).toEqual([]);
    const shell = new Shell(tmpdir(), given);
    expect(await shell.run(countries ?? '')).toMatch(/HTTP\/1\.1 200 OK[^]*"code":"AD"/);
    const first = await shell.run(register ?? '');
    const again = await shell.run(register ?? '');
    await shell.close();
    const customer = /"customerId":"([\w-]+)"/;
    expect([first, again]).toEqual([
      expect.stringContaining('HTTP/1.1 201 Created'),
      expect.stringMatching(/HTTP\/1\.1 201 Created[^]*Idempotency-Replayed: true/),
    ]);
    expect(customer.exec(first)?.[1]).toBe(customer.exec(again)?.[1]);
  });

  it('does the same in TypeScript, by the same request', async () => {
    const env = { PATH: process.env.PATH ?? '', ...given };
    const printed: string[] = [];
    for (const { code } of blocksOf(html, 'ts')) {
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env });
      printed.push(stdout);
    }
    expect(printed).toEqual([expect.stringMatching(/^200 \[/), expect.stringMatching(/^201 \{\s+customerId: '/)]);
  });
});
