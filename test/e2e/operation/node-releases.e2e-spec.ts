import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sendRaw } from '../../support/http/raw-http';
import { TestService } from '../../support/service/test-service';

const ROOT = join(__dirname, '../../..');

describe('the releases of Node.js that are admitted', () => {
  it('answer a header named __proto__ as any other (CVE-2026-21710)', async () => {
    const app = await TestService.shared();
    const { headers } = await app.client();
    const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
    const request = ['GET /api/v1/me HTTP/1.1', ...lines, '__proto__: x', 'Authorization: Bearer x', '', ''];
    const { answers } = await sendRaw(app.baseUrl, request.join('\r\n'));
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });

  it('install every package without a warning of an engine', async () => {
    const { stderr } = await promisify(execFile)('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline'], {
      cwd: ROOT,
    });
    expect(stderr.split('\n').filter((line) => line.includes('EBADENGINE'))).toEqual([]);
  }, 60_000);
});
