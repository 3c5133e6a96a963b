import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api/api-client';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { register } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const CODE = 'X-Touchpoint-Code';
const KEY = 'X-Touchpoint-Key';
const COUNTRIES = '/api/v1/reference/countries';
/** So many equal refusals of a minute get a row each. */
const ROWS_A_WINDOW = 10;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The other spellings of a segment of a token: the same bytes to whoever does not look at the bits left over. */
function otherSpellings(segment: string): string[] {
  const bytes = Buffer.from(segment, 'base64url');
  const candidates = Array.from(ALPHABET, (last) => segment.slice(0, -1) + last);
  return candidates.filter((other) => other !== segment && Buffer.from(other, 'base64url').equals(bytes));
}

describe('guessed credentials', () => {
  let app: TestService;
  let client: ApiClient;
  let issuer: AssertionIssuer;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
    issuer = await AssertionIssuer.start(app.clock);
  });
  afterAll(() => {
    issuer.close();
  });

  describe('of touchpoints', () => {
    it('do not keep a touchpoint waiting that is made under the code that was guessed', async () => {
      const code = `guessed-${randomUUID()}`;
      expect((await client.with({ [CODE]: code }).get(COUNTRIES)).status).toBe(401);
      const { key } = await app.administer<{ key: string }>('touchpoint', 'create', '--code', code);
      await app.clock.advance({ seconds: 0.05 });
      expect((await client.with({ [CODE]: code, [KEY]: key }).get(COUNTRIES)).status).toBe(200);
    });

    it('are not eased by another spelling of the key', async () => {
      const key = client.headers[KEY] ?? '';
      const [body, checksum] = [key.slice(0, -6), key.slice(-6)];
      const others = [
        ...otherSpellings(body.slice(4)).map((random) => `tpk_${random}${checksum}`),
        ...otherSpellings(checksum).map((other) => body + other),
      ];
      expect(others.length).toBeGreaterThan(10);
      for (const other of others) expect((await client.with({ [KEY]: other }).get(COUNTRIES)).status).toBe(401);
    });
  });

  describe('of consumers', () => {
    it('have one spelling: of a token with other characters for the same bytes every one is refused', async () => {
      const { token } = await register(client);
      const [header = '', payload = '', signature = ''] = token.split('.');
      expect(otherSpellings(signature)).toHaveLength(15);
      const others = [
        ...otherSpellings(signature).map((other) => [header, payload, other]),
        ...otherSpellings(payload).map((other) => [header, other, signature]),
        ...otherSpellings(header).map((other) => [other, payload, signature]),
        [header, payload, `${signature}=`],
        [header, payload, `${signature}==`],
      ];
      for (const other of others) {
        expect((await client.as(other.join('.')).get('/api/v1/me')).body.code).toBe('UNAUTHENTICATED');
      }
      expect((await client.as(token).get('/api/v1/me')).status).toBe(200);
    });

    it('have one spelling: of an assertion with other characters for the same bytes every one is refused', async () => {
      await app.trust(client, { issuer: issuer.url, jwksUri: issuer.jwksUri });
      await app.clock.advance({ seconds: 1 });
      const assertion = await issuer.sign({ given_name: 'Ada', family_name: 'Lovelace' });
      const identify = (text: string) => client.post('/api/v1/identify', { assertion: text });
      const [header = '', payload = '', signature = ''] = assertion.split('.');
      const others = otherSpellings(signature).map((other) => `${header}.${payload}.${other}`);
      for (const other of [...others, `${assertion}=`, `${assertion}\n`, ` ${assertion}`]) {
        expect((await identify(other)).body.code).toBe('ASSERTION_INVALID');
      }
      expect((await identify(assertion)).status).toBe(201);
    });

    it('cannot fill the audit trail with reasons of their own choice', async () => {
      const guessing = await app.client();
      const { token } = await register(guessing);
      const [header = '', payload = '', signature = ''] = token.split('.');
      const encoded = (text: string) => Buffer.from(text).toString('base64url');
      for (let size = 1; size <= 40; size += 1) {
        const others = [
          `${header}.${payload}.${encoded('x'.repeat(size))}`,
          `${header}.${encoded('x'.repeat(size))}.${signature}`,
          `${encoded(`{"alg":"ES256","kid":"${size}"`)}.${payload}.${signature}`,
          `${token}${'='.repeat(size)}`,
        ];
        for (const other of others) expect((await guessing.as(other).get('/api/v1/me')).status).toBe(401);
      }
      const expected = ['No auth token', 'The token is not one of ours', 'invalid signature', 'invalid token'];
      const kept = () =>
        app.query<{ reason: string; rows: number }>(
          `SELECT reason, count(*)::int AS rows FROM audit_event
           WHERE type = 'request.refused' AND touchpoint = $1 GROUP BY 1 ORDER BY 1`,
          [guessing.headers[CODE]],
        );
      await until(async () => (await kept()).length >= expected.length);
      // Longer than refusals wait before they are written.
      await sleep(1_000);
      expect((await kept()).map(({ reason }) => reason)).toEqual(expected);
      // A minute may have ended meanwhile.
      for (const { rows } of await kept()) expect(rows).toBeLessThanOrEqual(2 * (ROWS_A_WINDOW + 1));
    });
  });
});
