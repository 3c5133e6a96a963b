import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { composeSandbox, containerEnv, nginx } from '../../test/support/documents/container-files';
import { parsePrivateKeySet } from '../auth/keys/private-jwk';
import { AppConfig } from '../platform/settings/config';
import { ERROR_CATALOG } from '../platform/errors/error-catalog';

const ROOT = join(__dirname, '../..');

describe('the files of docker/', () => {
  it('work, in Compose, with the secrets of make-secrets.mjs, which never replaces one', () => {
    const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
    const make = () => execFileSync(process.execPath, [join(ROOT, 'docker/make-secrets.mjs'), directory]);
    const read = () => ['.env', 'secrets/jwt-keys.json'].map((name) => readFileSync(join(directory, name), 'utf8'));
    make();
    const made = read();
    make();
    expect(read()).toEqual(made);

    const given = parseEnv(made[0] ?? '') as Record<string, string>;
    const fill = (value: string | number) =>
      String(value).replace(/\$\{(\w+)[^}]*\}/g, (_, name) => given[name as string] ?? '');
    const env = Object.fromEntries(Object.entries(containerEnv.compose).map(([name, value]) => [name, fill(value)]));
    const appConfig = new AppConfig({
      ...containerEnv.image,
      ...env,
      JWT_KEYS_FILE: join(directory, 'secrets/jwt-keys.json'),
    });
    expect(appConfig).toMatchObject({ isProduction: true, appSecrets: [given.APP_SECRET] });
    expect(appConfig.databaseUrl).toContain(`:${given.POSTGRES_PASSWORD}@postgres:5432/`);
    expect(parsePrivateKeySet(made[1] ?? '').keys).toHaveLength(1);
    rmSync(directory, { recursive: true });
  });

  it('make, in docker/sandbox, a sandbox with the embedded database', () => {
    const { environment } = composeSandbox.services.service ?? {};
    const appConfig = new AppConfig({ ...containerEnv.image, ...(environment as Record<string, string>) });
    expect(appConfig).toMatchObject({ isSandbox: true, databaseUrl: undefined, consolePort: undefined });
  });

  it('make, in Kubernetes, settings that the service accepts, once the secrets are filled in', () => {
    const filled = {
      APP_SECRET: 'x'.repeat(32),
      DATABASE_URL: 'postgres://user@database/consumers',
      REDIS_URL: 'rediss://cache',
      SMTP_URL: 'smtps://mail',
      SMS_GATEWAY_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
    };
    expect(Object.keys(containerEnv.secret).sort()).toEqual(Object.keys(filled).sort());
    expect(new AppConfig({ ...containerEnv.image, ...containerEnv.configMap, ...filled })).toMatchObject({
      isProduction: true,
    });
  });

  it('answer in nginx what the catalogue of errors says', () => {
    const answers = [...nginx.matchAll(/return (\d+) '(.*)';/g)];
    expect(answers).toHaveLength(5);
    for (const [, status, body = ''] of answers) {
      const { code, requestId, ...problem } = JSON.parse(body) as {
        code: keyof typeof ERROR_CATALOG;
        requestId: string;
      };
      const { title } = ERROR_CATALOG[code];
      expect(problem).toEqual({ type: `/docs/errors/${code}`, title, status: ERROR_CATALOG[code].status });
      expect([status, requestId]).toEqual([String(ERROR_CATALOG[code].status), '$request_id']);
    }
  });
});
