import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api/api-client';
import { ADA, identify, outcomeOf, trusting } from '../../support/api/identification';
import { codeOf } from '../../support/api/touchpoints';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { TestService, type TouchpointOptions } from '../../support/service/test-service';

/** How long a replica may go on trusting a provider that has been removed (contract: at most one second). */
const REVOCATION_MS = 1_000;

describe('at POST /api/v1/identify a touchpoint', () => {
  const issuers: AssertionIssuer[] = [];
  let app: TestService;
  let replica: TestService;
  let issuer: AssertionIssuer;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    replica = await TestService.start({ replicaOf: app, clock: 'stopped' });
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

  it('that trusts nobody is refused before its body is judged', async () => {
    const untrusting = await app.client();
    const path = '/api/v1/identify';
    for (const body of ['{', { assertion: 1 }, { assertion: await issuer.sign(ADA) }]) {
      expect(await untrusting.post(path, body)).toMatchObject({
        status: 403,
        body: { code: 'IDENTIFY_NOT_ALLOWED' },
      });
    }
    expect(await client.post(path, '{')).toMatchObject({ status: 400, body: { code: 'MALFORMED_JSON' } });
  });

  it('may be in any mode, and require any proof', async () => {
    const modes: TouchpointOptions[] = [
      { authenticationMode: 'OTP' },
      { channelProof: 'EMAIL' },
      { channelProof: 'SMS' },
    ];
    for (const settings of modes) {
      expect(outcomeOf(await identify(await trusting(app, issuer, settings), await issuer.sign(ADA)))).toBe('201');
    }
  });

  it('is refused on every replica within a second of the removal of its provider', async () => {
    const shop = await trusting(app, issuer);
    const everywhere = [shop, shop.at(replica.baseUrl)];
    for (const there of everywhere) expect((await identify(there, await issuer.sign(ADA))).status).toBe(201);
    await app.administer('touchpoint', 'provider', 'remove', codeOf(shop), '--issuer', issuer.url);
    await sleep(REVOCATION_MS);
    for (const there of everywhere) {
      expect(outcomeOf(await identify(there, await issuer.sign(ADA)))).toBe('403 IDENTIFY_NOT_ALLOWED');
    }
  });

  it('gets no session by an old Idempotency-Key once the issuer is trusted no more', async () => {
    const shop = await trusting(app, issuer);
    const other = await newIssuer();
    await app.trust(shop, { issuer: other.url, jwksUri: other.jwksUri });
    const keyed = shop.with({ 'Idempotency-Key': randomUUID() });
    const assertion = await issuer.sign({ sub: randomUUID(), ...ADA });
    expect((await identify(keyed, assertion)).status).toBe(201);
    await app.administer('touchpoint', 'provider', 'remove', codeOf(shop), '--issuer', issuer.url);
    await sleep(REVOCATION_MS);
    expect(outcomeOf(await identify(keyed, assertion))).toBe('400 ASSERTION_INVALID');
  });
});
