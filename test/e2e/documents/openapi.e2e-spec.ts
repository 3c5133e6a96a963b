import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';

interface Schema {
  type?: string | string[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  description?: string;
}

interface Refusal {
  code: string;
  errors?: { field: string; code: string }[];
}

const ROOT = join(__dirname, '../../..');
const committed = (name: string) => JSON.parse(readFileSync(join(ROOT, 'docs', name), 'utf8')) as object;
const { schemas } = (committed('openapi.json') as { components: { schemas: Record<string, Schema> } }).components;

/** Text beyond each bound that a schema states. */
function textsBeyond({ minLength = 0, maxLength, pattern, format, enum: values }: Schema): string[] {
  const texts: string[] = [];
  if (minLength > 0) texts.push('x'.repeat(minLength - 1));
  if (maxLength !== undefined)
    texts.push(format === 'email' ? `${'x'.repeat(maxLength)}@example.com` : 'x'.repeat(maxLength + 1));
  if (pattern !== undefined || values || ['date', 'email', 'uuid'].includes(format ?? '')) texts.push('!');
  return texts;
}

const bounded = (name: string) =>
  Object.entries(schemas[name]?.properties ?? {}).filter(([, { type }]) => [type].flat().includes('string'));

describe('the OpenAPI document', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  it('leaves nothing unsaid, and holds nothing that generators of clients cannot read', () => {
    const { stdout, status } = spawnSync(process.execPath, ['scripts/check-openapi-gaps.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ status, said: stdout.trim().split('\n').slice(1) }).toEqual({ status: 0, said: [] });
  });

  it('is served and committed as OpenAPI 3.0.3, too: `npm run openapi` writes it', async () => {
    const answer = await fetch(`${app.baseUrl}/openapi-3.0.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const document = (await answer.json()) as { openapi: string };
    expect(document.openapi).toBe('3.0.3');
    expect(document).toEqual(committed('openapi-3.0.json'));
    expect(JSON.stringify(document)).not.toMatch(/"type":\[|"type":"null"|"const":/);
  });

  it('explains every code of a field, as does the page of the error', async () => {
    const page = await (await fetch(`${app.baseUrl}/docs/errors/VALIDATION_FAILED`)).text();
    const { enum: codes = [], description } = schemas.FieldErrorCode ?? {};
    expect(codes).toHaveLength(9);
    for (const code of codes as string[]) {
      expect(description).toMatch(new RegExp(`^- \`${code}\`: [A-Z].+\\.$`, 'm'));
      expect(page).toMatch(new RegExp(`<code[^>]*>${code}</code></td>\n<td[^>]*>[A-Z].+\\.</td>`));
    }
  });

  it('says how long a session lives, and how its token is used', () => {
    const { token } = schemas.Session?.properties ?? {};
    expect(token?.description).toMatch(/Authorization: Bearer/);
    expect(token?.description).toMatch(/30 minutes.*`exp`.*UNAUTHENTICATED/);
  });

  describe('states only bounds that the service checks', () => {
    /** What the service says of a body with one field beyond a bound. */
    async function expectRefused(name: string, good: object, send: (body: object) => Promise<Answer<Refusal>>) {
      for (const [field, schema] of bounded(name)) {
        for (const text of textsBeyond(schema)) {
          const { status, body } = await send({ ...good, [field]: text });
          const named = body.code === 'VALIDATION_FAILED' ? body.errors?.map(({ field: at }) => at) : [field];
          const isRefused = status === 400 || status === 410;
          expect({ name, field, text, isRefused, named }).toEqual({
            name,
            field,
            text,
            isRefused: true,
            named: [field],
          });
        }
      }
    }

    it('of a registration', async () => {
      await expectRefused('Register', newPerson(), (body) => client.post('/api/v1/register', body));
    });

    it('of the completion of a registration', async () => {
      const proving = await app.client({ channelProof: 'EMAIL' });
      const { body } = await proving.post<{ registrationId: string }>('/api/v1/register', newPerson());
      const good = { registrationId: body.registrationId, code: '000000', password: PASSWORD };
      await expectRefused('CompleteRegistration', good, (completion) =>
        proving.post('/api/v1/register/complete', completion),
      );
    });

    it('of a login', async () => {
      const good = { identifier: 'nobody@example.com', password: PASSWORD };
      await expectRefused('Login', good, (body) => client.post('/api/v1/login', body));
    });

    it('of the profile, its address, the password and the code', async () => {
      const { token } = await register(client);
      const consumer = client.as(token);
      const patch = (body: object) => consumer.patch<Refusal>('/api/v1/me', body);
      await expectRefused('ProfilePatch', {}, patch);
      for (const [field, schema] of bounded('Address')) {
        for (const text of textsBeyond(schema)) {
          const { status, body } = await patch({ address: { country: 'GB', [field]: text } });
          expect([field, text, status, body.errors?.[0]?.field]).toEqual([field, text, 400, `address.${field}`]);
        }
      }
      const good = { currentPassword: PASSWORD, newPassword: 'hold fast to the analytical engine' };
      await expectRefused('PasswordChange', good, (body) => consumer.post('/api/v1/password/change', body));
      await expectRefused('Confirm', {}, (body) => consumer.post('/api/v1/verifications/email/confirm', body));
    });
  });
});
