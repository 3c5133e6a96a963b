import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';

type Json = Record<string, unknown>;

interface KeySet {
  keys: Json[];
}

const TTL = 1800;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json;
const headerOf = (token: string) => decode(token.split('.')[0]);
const claimsOf = (token: string) => decode(token.split('.')[1]);

/** A token signed as this service signs, whatever stands in it. */
function signed(key: KeyObject, header: unknown, claims: unknown, algorithm = 'sha256'): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign(algorithm, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const privateKeysOf = ({ dataDir }: TestService) =>
  (JSON.parse(readFileSync(join(dataDir, 'jwt-keys.json'), 'utf8')) as KeySet).keys;

describe('the customer token', () => {
  let app: TestService;
  let client: ApiClient;
  /** What signed a token, as it is published. */
  let publicJwk: Json;
  let ourKey: KeyObject;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
    const { token } = await register(client);
    const { keys } = (await client.get<KeySet>('/.well-known/jwks.json')).body;
    publicJwk = keys.find(({ kid }) => kid === headerOf(token).kid) ?? {};
    const privateJwk = privateKeysOf(app).find(({ x }) => x === publicJwk.x) ?? {};
    ourKey = createPrivateKey({ key: privateJwk, format: 'jwk' });
  });

  /** In seconds, as tokens have it. */
  const now = () => Math.floor(app.clock.epochMs() / 1000);

  /** Those of the tokens that are let in, by the names they are given. */
  async function accepted(tokens: Record<string, string>): Promise<string[]> {
    const names: string[] = [];
    for (const [name, token] of Object.entries(tokens)) {
      const { status, body, headers } = await client.as(token).get('/api/v1/me');
      if (status === 200) names.push(name);
      else {
        expect([name, status, body.code]).toEqual([name, 401, 'UNAUTHENTICATED']);
        expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="customer", error="invalid_token"');
      }
    }
    return names;
  }

  it('says who, which session, where and until when, and nothing more', async () => {
    const { token, customerId } = await register(client);
    expect(headerOf(token)).toEqual({ alg: 'ES256', typ: 'customer+jwt', kid: expect.any(String) as string });
    expect(claimsOf(token)).toEqual({
      iss: 'consumer-service',
      sub: customerId,
      sid: expect.any(String) as string,
      azp: client.headers['X-Touchpoint-Code'],
      auth_time: now(),
      iat: now(),
      exp: now() + TTL,
    });
    const { headers, body } = await client.get<KeySet>('/.well-known/jwks.json');
    expect(headers.get('Cache-Control')).toMatch(/^public/);
    for (const key of body.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(body.keys.map(({ kid }) => kid)).toContain(headerOf(token).kid);
  });

  it('is accepted beside any valid touchpoint credential, and never without one', async () => {
    const { token, customerId } = await register(client);
    const elsewhere = (await app.client()).as(token);
    expect((await elsewhere.get('/api/v1/me')).body.customerId).toBe(customerId);
    const alone = await new ApiClient(app.baseUrl, { Authorization: `Bearer ${token}` }).get('/api/v1/me');
    expect([alone.status, alone.body.code]).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
  });

  it('is refused when another key or another algorithm signed it', async () => {
    const { token } = await register(client);
    const [header, claims] = [headerOf(token), claimsOf(token)];
    const publicPem = createPublicKey(ourKey).export({ format: 'pem', type: 'spki' });
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const hmac = (alg: string, secret: string | Buffer) => {
      const input = `${encode({ ...header, alg })}.${encode(claims)}`;
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    };
    const strangerJwk = stranger.export({ format: 'jwk' });
    const [head = '', payload = '', signature = ''] = token.split('.');
    const tokens = {
      none: `${encode({ ...header, alg: 'none' })}.${payload}.`,
      'none with the signature': `${encode({ ...header, alg: 'none' })}.${payload}.${signature}`,
      nOnE: `${encode({ ...header, alg: 'nOnE' })}.${payload}.${signature}`,
      'HS256 with the public key': hmac('HS256', JSON.stringify(publicJwk)),
      'HS256 with the public PEM': hmac('HS256', publicPem),
      'HS256 said to be ES256': hmac('ES256', JSON.stringify(publicJwk)),
      RS256: signed(rsa, { ...header, alg: 'RS256' }, claims),
      ES384: signed(p384, { ...header, alg: 'ES384' }, claims, 'sha384'),
      'another key': signed(stranger, header, claims),
      'another key, its kid unknown': signed(stranger, { ...header, kid: 'unknown' }, claims),
      'another key in the header': signed(stranger, { ...header, jwk: strangerJwk }, claims),
      'no signature': `${head}.${payload}.`,
      'zeros as signature': `${head}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
      'another payload': `${head}.${encode({ ...claims, exp: now() + 60 })}.${signature}`,
      'another signature': `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'two parts': `${head}.${payload}`,
      'four parts': `${token}.${signature}`,
      'no JSON': `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`,
      empty: '',
    };
    expect(await accepted({ ...tokens, genuine: token })).toEqual(['genuine']);
  });

  it('is refused with a header or claims that we would not have signed, even under our signature', async () => {
    const [ada, eve] = [await register(client), await register(client)];
    const [header, claims] = [headerOf(ada.token), claimsOf(ada.token)];
    const headers: Record<string, Json> = {
      'no typ': { typ: undefined },
      'typ JWT': { typ: 'JWT' },
      'typ at+jwt': { typ: 'at+jwt' },
      'no kid': { kid: undefined },
      'unknown kid': { kid: 'unknown' },
      'kid as list': { kid: [header.kid] },
      crit: { crit: ['exp'] },
      'b64 crit': { crit: ['b64'], b64: false },
      jwk: { jwk: {} },
      jku: { jku: 'https://example.com/keys' },
      x5u: { x5u: 'https://example.com/keys' },
      x5c: { x5c: [] },
    };
    const bodies: Record<string, Json> = {
      'no iss': { iss: undefined },
      'another iss': { iss: 'https://example.com' },
      'iss as list': { iss: ['consumer-service'] },
      'no exp': { exp: undefined },
      'exp as text': { exp: String(now() + 60) },
      'exp as fraction': { exp: now() + 60.5 },
      'exp now': { exp: now() },
      'exp too far': { exp: now() + TTL + 1 },
      'exp infinite': { exp: 1e308 },
      'no iat': { iat: undefined },
      'iat in future': { iat: now() + 60 },
      'no sub': { sub: undefined },
      'sub as list': { sub: [ada.customerId] },
      'sub no UUID': { sub: 'ada' },
      'another sub': { sub: eve.customerId },
      'no sid': { sid: undefined },
      'unknown sid': { sid: randomUUID() },
      'sid no UUID': { sid: "' OR 1=1 --" },
      'another consumer’s sid': { sid: claimsOf(eve.token).sid },
    };
    const tokens = Object.fromEntries([
      ...Object.entries(headers).map(([name, part]) => [name, signed(ourKey, { ...header, ...part }, claims)]),
      ...Object.entries(bodies).map(([name, part]) => [name, signed(ourKey, header, { ...claims, ...part })]),
      ...[[], null, 'text', 5].map((payload) => [
        `payload ${JSON.stringify(payload)}`,
        signed(ourKey, header, payload),
      ]),
      ['as issued', signed(ourKey, header, claims)],
    ]) as Record<string, string>;
    expect(await accepted(tokens)).toEqual(['as issued']);
  });

  it('expires', async () => {
    const { token } = await register(client);
    await app.clock.advance({ seconds: TTL - 1 });
    expect(await accepted({ young: token })).toEqual(['young']);
    await app.clock.advance({ seconds: 1 });
    expect(await accepted({ old: token })).toEqual([]);
  });

  it('is taken from one Authorization header, and from nowhere else', async () => {
    const { token } = await register(client);
    const statusOf = (authorization?: string | string[], path = '/api/v1/me', body?: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          ...client.headers,
          ...(authorization !== undefined && { Authorization: authorization }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        };
        const method = body === undefined ? 'GET' : 'PATCH';
        request(app.baseUrl + path, { method, headers, agent: false }, (answer) => {
          answer.resume().once('end', () => {
            resolve(answer.statusCode);
          });
        })
          .once('error', reject)
          .end(body);
      });
    for (const good of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`])
      expect(await statusOf(good)).toBe(200);
    const bad = [`Bearer ${token} x`, `Bearer x ${token}`, `Bearer ${token},`, `Bearer ${token}, Bearer ${token}`];
    for (const value of [...bad, token, `Basic ${token}`, `Bearer${token}`, 'Bearer', '', `Bearer "${token}"`]) {
      expect(await statusOf(value)).toBe(401);
    }
    expect(await statusOf([`Bearer ${token}`, `Bearer ${token}`])).toBe(401);
    expect(await statusOf([`Bearer ${token}`, 'Basic eDp5'])).toBe(401);
    for (const name of ['token', 'access_token', 'auth_token', 'jwt']) {
      expect(await statusOf(undefined, `/api/v1/me?${name}=${token}`)).toBe(401);
      expect(await statusOf(undefined, '/api/v1/me', JSON.stringify({ [name]: token }))).toBe(401);
    }
    const none = await client.get('/api/v1/me');
    expect([none.status, none.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer realm="customer"']);
  });
});

describe('the keys of customer tokens', () => {
  it('all verify, and the first of them signs', async () => {
    const app = await TestService.shared();
    const client = await app.client();
    const { token, email } = await register(client);

    const newKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const keysFile = join(app.dataDir, `${randomUUID()}.jwt-keys.json`);
    writeFileSync(keysFile, JSON.stringify({ keys: [{ ...newKey, kid: 'new' }, ...privateKeysOf(app)] }));
    const replica = client.at((await TestService.start({ replicaOf: app, env: { JWT_KEYS_FILE: keysFile } })).baseUrl);
    expect((await replica.as(token).get('/api/v1/me')).body.email).toBe(email);
    const { token: newer } = await register(replica);
    expect(headerOf(newer).kid).toBe('new');
    expect((await replica.as(newer).get('/api/v1/me')).status).toBe(200);

    const former = (await client.get<KeySet>('/.well-known/jwks.json')).body.keys.map(({ kid }) => kid);
    expect(former).toContain(headerOf(token).kid);
    const { body } = await replica.get<KeySet>('/.well-known/jwks.json');
    expect(body.keys.map(({ kid }) => kid)).toEqual(['new', ...former]);
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});
