import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson } from '../../support/api/consumers';
import { ADA, type Identified, identify, outcomeOf, trusting } from '../../support/api/identification';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { OpenIdProvider } from '../../support/identity-providers/openid-provider';
import { TestService } from '../../support/service/test-service';

describe('POST /api/v1/identify', () => {
  const issuers: AssertionIssuer[] = [];
  let app: TestService;
  let issuer: AssertionIssuer;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    issuer = await newIssuer();
    client = await trusting(app, issuer);
  });
  afterAll(() => {
    for (const started of issuers) started.close();
  });

  const newIssuer = async (alg?: string): Promise<AssertionIssuer> => {
    const started = await AssertionIssuer.start(app.clock, alg);
    issuers.push(started);
    return started;
  };
  const profileOf = async ({ body }: Identified, from = client) => (await from.as(body.token).get('/api/v1/me')).body;
  const newEmail = (): string => newPerson().email;

  it('takes the ID token of an OpenID Connect provider: 201 the first time, then 200 for the same consumer', async () => {
    const email = newEmail();
    const provider = await OpenIdProvider.start({ claims: { ...ADA, email, email_verified: true, locale: 'en-GB' } });
    try {
      // It has no clock that a test could move.
      const shop = await trusting(
        await TestService.shared(),
        { url: provider.issuer, jwksUri: await provider.jwksUri() },
        { trustEmail: true },
      );
      const first = await identify(shop, await provider.signIn('ada'));
      expect([first.status, Object.keys(first.body).sort()]).toEqual([201, ['customerId', 'token']]);
      expect(await profileOf(first, shop)).toMatchObject({
        ...{ customerId: first.body.customerId, firstName: 'Ada', lastName: 'Lovelace' },
        ...{ email, emailVerified: true, locale: 'en-GB', hasPassword: false },
      });

      const again = await identify(shop, await provider.signIn('ada'));
      expect([again.status, again.body.customerId]).toEqual([200, first.body.customerId]);
      const other = await identify(shop, await provider.signIn('somebody-else'));
      // The provider says that both have the same e-mail address, and is trusted for it.
      expect([other.status, other.body.customerId]).toEqual([200, first.body.customerId]);
    } finally {
      await provider.close();
    }
  });

  it('refuses an assertion that has been used, and no other of the same subject', async () => {
    const sub = randomUUID();
    const assertion = await issuer.sign({ sub, ...ADA });
    const first = await identify(client, assertion);
    expect(first.status).toBe(201);
    expect(outcomeOf(await identify(client, assertion))).toBe('409 ASSERTION_REPLAYED');
    expect(outcomeOf(await identify(await trusting(app, issuer), assertion))).toBe('409 ASSERTION_REPLAYED');
    const fresh = await identify(client, await issuer.sign({ sub }));
    expect([fresh.status, fresh.body.customerId]).toEqual([200, first.body.customerId]);
  });

  it('answers a retry with the same Idempotency-Key as the first time, though the assertion has been used', async () => {
    const keyed = client.with({ 'Idempotency-Key': randomUUID() });
    const assertion = await issuer.sign({ sub: randomUUID(), ...ADA });
    const first = await identify(keyed, assertion);
    const again = await identify(keyed, assertion);
    expect([again.status, again.body.customerId]).toEqual([201, first.body.customerId]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await profileOf(again)).toEqual(await profileOf(first));
    expect(outcomeOf(await identify(client, assertion))).toBe('409 ASSERTION_REPLAYED');
  });

  it('refuses what is not a good assertion of a trusted issuer for this touchpoint, whatever is wrong', async () => {
    const now = Math.floor(app.clock.epochMs() / 1000);
    const signed = (claims: JWTPayload, header?: Record<string, unknown>) => issuer.sign({ ...ADA, ...claims }, header);
    const hs256 = new SignJWT({ ...issuer.claims(), ...ADA }).setProtectedHeader({ alg: 'HS256' });
    const good = await signed({});
    const [header = '', payload = '', signature = ''] = good.split('.');
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const bad: Record<string, unknown> = {
      'the public key as a secret': await hs256.sign(new TextEncoder().encode(JSON.stringify(issuer.publicJwk))),
      'no algorithm': `${encoded({ alg: 'none' })}.${payload}.`,
      'no signature': `${header}.${payload}.`,
      'a changed claim': `${header}.${encoded({ ...issuer.claims(), ...ADA, sub: 'admin' })}.${signature}`,
      'another key': await issuer.forge(),
      'another audience': await signed({ aud: 'another-shop' }),
      'an audience that only resembles ours': await signed({ aud: 'shops' }),
      'no audience': await signed({ aud: undefined }),
      'another issuer': await signed({ iss: 'https://id.example.com' }),
      'an issuer that only resembles ours': await signed({ iss: `${issuer.url}/` }),
      'an age of eleven minutes': await signed({ iat: now - 660 }),
      'a future of a minute': await signed({ iat: now + 60 }),
      'no issue time': await signed({ iat: undefined }),
      'no expiry': await signed({ exp: undefined }),
      'an expiry that is past': await signed({ exp: now - 1 }),
      'a start in the future': await signed({ nbf: now + 60 }),
      'no subject': await signed({ sub: undefined }),
      'an empty subject': await signed({ sub: '' }),
      'a subject with half a character': await signed({ sub: 'ada\ud800' }),
      'a subject that is too long': await signed({ sub: 'x'.repeat(256) }),
      'a critical header': await signed({}, { crit: ['b64'], b64: true }),
      'another purpose': await signed({}, { typ: 'at+jwt' }),
      'nothing to read': 'no.assertion',
      'nothing at all': '',
    };
    for (const [what, assertion] of Object.entries(bad)) {
      expect([what, outcomeOf(await identify(client, assertion))]).toEqual([what, '400 ASSERTION_INVALID']);
    }
    expect(outcomeOf(await identify(client, good))).toBe('201');
  });

  it('never asks an address that an assertion names for its key', async () => {
    const stranger = await newIssuer();
    const { jwksUri, publicJwk: jwk } = stranger;
    const claims = { iss: issuer.url, ...ADA };
    for (const header of [{ jku: jwksUri }, { jwk }, { x5u: jwksUri }, { x5c: ['MIIB'] }]) {
      for (const signer of [stranger, issuer]) {
        const outcome = outcomeOf(await identify(client, await signer.sign(claims, header)));
        expect([header, outcome]).toEqual([header, '400 ASSERTION_INVALID']);
      }
    }
    expect(stranger.requests).toBe(0);
  });

  it('accepts a list of audiences that holds ours, and small differences between clocks', async () => {
    const now = Math.floor(app.clock.epochMs() / 1000);
    for (const claims of [
      { aud: ['another-shop', 'shop'] },
      { iat: now + 20 },
      { nbf: now + 20 },
      { iat: now - 590 },
    ]) {
      expect(outcomeOf(await identify(client, await issuer.sign({ ...ADA, ...claims })))).toBe('201');
    }
  });

  it.each(['RS256', 'PS384', 'ES512', 'EdDSA'])('accepts the signatures of a backend with a %s key', async (alg) => {
    const backend = await newIssuer(alg);
    const touchpoint = await app.client();
    const { kid: _, ...unnamed } = backend.publicJwk;
    const { publicKey } = await generateKeyPair(alg);
    const keys = [await exportJWK(publicKey), unnamed];
    await app.trust(touchpoint, { issuer: backend.url, jwks: { keys } });
    // Without a `kid` every key is tried.
    expect(outcomeOf(await identify(touchpoint, await backend.sign(ADA, { kid: undefined })))).toBe('201');
    expect(outcomeOf(await identify(touchpoint, await backend.forge()))).toBe('400 ASSERTION_INVALID');
    expect(backend.requests).toBe(0);
  });
});
