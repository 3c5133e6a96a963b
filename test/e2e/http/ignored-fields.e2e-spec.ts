import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { loggedOf } from '../../support/service/log-lines';
import { TestService } from '../../support/service/test-service';

const HEADER = 'Ignored-Fields';

const ignoredBy = ({ headers }: Answer): string | null => headers.get(HEADER);

describe('fields of a body that an operation does not know', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  it('are named, so that nobody makes an unreachable account by a misspelt field unawares', async () => {
    const { email: emial, ...person } = newPerson();
    const answer = await client.post('/api/v1/register', { emial, ...person, customerId: 'mine', sub: 'me' });
    expect([answer.status, ignoredBy(answer)]).toEqual([201, 'emial, customerId, sub']);
    expect(ignoredBy(await client.post('/api/v1/register', newPerson()))).toBeNull();
  });

  it('are named by every operation that takes a body, whatever it answers', async () => {
    const consumer = client.as((await register(client)).token);
    const outcomes: [number, Promise<Answer>][] = [
      [400, client.post('/api/v1/register', { unknown: 1 })],
      [400, client.post('/api/v1/register/complete', { unknown: 1 })],
      [
        410,
        client.post('/api/v1/register/complete', {
          registrationId: 'x',
          code: '123456',
          password: PASSWORD,
          unknown: 1,
        }),
      ],
      [401, client.post('/api/v1/login', { identifier: 'nobody@example.com', password: 'x', unknown: 1 })],
      [200, consumer.patch('/api/v1/me', { locale: 'en', unknown: 1 })],
      [412, consumer.patch('/api/v1/me', { locale: 'fr', unknown: 1 }, { 'If-Match': '"other"' })],
      [410, consumer.post('/api/v1/verifications/email/confirm', { code: '123456', unknown: 1 })],
      [404, consumer.post('/api/v1/verifications/fax/confirm', { code: '123456', unknown: 1 })],
      [
        400,
        consumer.post('/api/v1/password/change', { currentPassword: 'x', newPassword: 'correct horse', unknown: 1 }),
      ],
    ];
    const trusting = await app.client();
    const issuer = 'https://id.ignored-fields.example';
    await app.trust(trusting, { issuer, jwksUri: `${issuer}/jwks` });
    outcomes.push([400, trusting.post('/api/v1/identify', { assertion: 'AA.AA.AA', unknown: 1 })]);
    for (const [status, outcome] of outcomes) {
      const answer = await outcome;
      expect([answer.status, ignoredBy(answer)]).toEqual([status, 'unknown']);
    }
  });

  it('are named again when an answer is repeated for its Idempotency-Key', async () => {
    const keyed = client.with({ 'Idempotency-Key': 'once' });
    const body = newPerson({ nickname: 'Ada' });
    for (const replayed of [null, 'true']) {
      const answer = await keyed.post('/api/v1/register', body);
      expect([answer.status, answer.headers.get('Idempotency-Replayed'), ignoredBy(answer)]).toEqual([
        ...[201, replayed, 'nickname'],
      ]);
    }
  });

  it('are named only where a body has been read', async () => {
    const consumer = client.as((await register(client)).token);
    const otp = await app.client({ authenticationMode: 'OTP' });
    const unread = [
      await client.with({ 'X-Touchpoint-Key': 'wrong' }).post('/api/v1/register', { unknown: 1 }),
      await client.post('/api/v1/register', '{"unknown":1,'),
      await otp.post('/api/v1/login', { unknown: 1 }),
      await client.post('/api/v1/login/otp/request', { unknown: 1 }),
      await consumer.post('/api/v1/verifications/email/request', { unknown: 1 }),
      await consumer.post('/api/v1/logout', { unknown: 1 }),
    ];
    for (const answer of unread) expect(ignoredBy(answer)).toBeNull();
  });

  it('can break no header, whatever their names are', async () => {
    const names: [name: string, told: string][] = [
      ['a b', 'a%20b'],
      ['a,b', 'a%2Cb'],
      ['a\r\nSet-Cookie: b=c', 'a%0D%0ASet-Cookie%3A%20b%3Dc'],
      ['(quoted)"', '%28quoted%29%22'],
      ['é', '%C3%A9'],
      ['100%', '100%25'],
      ["!#$&'*+-.^_`|~", "!#$&'*+-.^_`|~"],
      ['__proto__', '__proto__'],
      ['constructor', 'constructor'],
      ['x'.repeat(8_000), 'x'.repeat(100)],
      ['😀'.repeat(2_000), '%F0%9F%98%80'.repeat(8)],
    ];
    for (const [name, told] of names) {
      const answer = await client.post('/api/v1/login', `{${JSON.stringify(name)}: 1}`);
      expect([answer.status, ignoredBy(answer)]).toEqual([400, told]);
    }
    expect(ignoredBy(await client.post('/api/v1/login', { '': 1, other: 1 }))).toBe('other');
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field-${index}`, index]));
    expect(ignoredBy(await client.post('/api/v1/login', many))?.split(', ')).toEqual(
      Array.from({ length: 10 }, (_, index) => `field-${index}`),
    );
  });

  it('are documented with every answer that can name them', () => {
    const { paths } = JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { requestBody?: object; responses: Record<string, { headers?: object }> }>>;
    };
    const operations = Object.values(paths).flatMap(({ get, post, patch }) =>
      [get, post, patch].filter((one) => one !== undefined),
    );
    const naming = operations.filter(({ responses }) => {
      const answers = Object.entries(responses).filter(([status]) => status < '300' || status === '400');
      return answers.length > 1 && answers.every(([, { headers = {} }]) => HEADER in headers);
    });
    const reading = operations.filter(({ requestBody, responses }) => requestBody && !('501' in responses));
    expect(reading.length).toBeGreaterThanOrEqual(7);
    expect(naming).toEqual(reading);
  });

  it('are counted in the log, which does not repeat their names', async () => {
    const answer = await client.post('/api/v1/login', { 'never-to-be-logged': 1, other: 2 });
    const requestId = answer.headers.get('X-Request-Id') ?? '';
    expect(await loggedOf(app, requestId)).toMatchObject([{ status: 400, ignoredFields: 2 }]);
    expect(app.log).not.toContain('never-to-be-logged');
  });
});
