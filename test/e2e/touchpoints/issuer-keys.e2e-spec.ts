import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import type { ApiClient } from '../../support/api/api-client';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import type { SessionBody } from '../../support/api/consumers';
import { TestService, type TrustedProvider } from '../../support/service/test-service';

const ADA = { given_name: 'Ada', family_name: 'Lovelace' };

describe('an issuer that two touchpoints trust', () => {
  const started: AssertionIssuer[] = [];
  let app: TestService;
  let directory: string;

  beforeAll(async () => {
    app = await TestService.shared();
    directory = await mkdtemp(join(tmpdir(), 'consumer-service-issuers-'));
  });
  afterAll(async () => {
    for (const issuer of started) issuer.close();
    await rm(directory, { recursive: true });
  });

  const newIssuer = async () => {
    const issuer = await AssertionIssuer.start();
    started.push(issuer);
    return issuer;
  };
  const codeOf = (client: ApiClient) => client.headers['X-Touchpoint-Code'] ?? '';
  const file = (...keys: JWK[]) => ({ jwks: { keys } });
  const trust = async (issuer: string, keys: Pick<TrustedProvider, 'jwks' | 'jwksUri'>, audience = 'shop') => {
    const client = await app.client();
    await app.trust(client, { issuer, audience, ...keys });
    return client;
  };
  const otherKeys = expect.objectContaining({ message: expect.stringMatching(/with other keys/) as string }) as Error;

  it('cannot be taken over by a touchpoint that names it with keys of its own', async () => {
    const [issuer, mallory] = [await newIssuer(), await newIssuer()];
    const owner = await trust(issuer.url, { jwksUri: issuer.jwksUri });
    const sub = randomUUID();
    expect((await owner.post('/api/v1/identify', { assertion: await issuer.sign({ ...ADA, sub }) })).status).toBe(201);

    const other = await app.client();
    const path = join(directory, 'keys.json');
    await writeFile(path, JSON.stringify({ keys: [mallory.publicJwk] }));
    const named = ['--issuer', issuer.url, '--audience', 'shop', '--jwks-file', path];
    expect(await app.cli('touchpoint', 'provider', 'add', codeOf(other), ...named)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `${codeOf(owner)} trusts ${issuer.url} with other keys: name the same ones, or remove it there first\n`,
    });
    const assertion = await mallory.sign({ ...ADA, iss: issuer.url, sub });
    expect((await other.post('/api/v1/identify', { assertion })).body.code).toBe('IDENTIFY_NOT_ALLOWED');
  });

  it('is the same one where its keys come from the same address', async () => {
    const issuer = await newIssuer();
    const here = await trust(issuer.url, { jwksUri: issuer.jwksUri });
    const there = await trust(issuer.url, { jwksUri: issuer.jwksUri }, 'kiosk');
    const sub = randomUUID();
    const made = await here.post<SessionBody>('/api/v1/identify', { assertion: await issuer.sign({ ...ADA, sub }) });
    const found = await there.post<SessionBody>('/api/v1/identify', {
      assertion: await issuer.sign({ sub, aud: 'kiosk' }),
    });
    expect([made.status, found.status, found.body.customerId]).toEqual([201, 200, made.body.customerId]);
  });

  it('is the same one where it has the same keys in any order, and another one with fewer, more or an address', async () => {
    const [{ url, jwksUri, publicJwk: first }, { publicJwk: second }] = [await newIssuer(), await newIssuer()];
    await trust(url, file(first, second));
    await trust(url, file(second, first));
    const { publicJwk: third } = await newIssuer();
    for (const keys of [file(first), file(first, second, third), file(first, third), { jwksUri }]) {
      await expect(trust(url, keys)).rejects.toEqual(otherKeys);
    }
    const published = await newIssuer();
    await trust(published.url, { jwksUri: published.jwksUri });
    for (const keys of [file(published.publicJwk), { jwksUri: `${published.jwksUri}/other` }]) {
      await expect(trust(published.url, keys)).rejects.toEqual(otherKeys);
    }
  });

  it('has the keys of one of those who name it at once', async () => {
    const { url } = await newIssuer();
    const keys = await Promise.all([1, 2, 3, 4].map(async () => (await newIssuer()).publicJwk));
    const outcomes = await Promise.allSettled(keys.map((key) => trust(url, file(key))));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', ...Array<string>(3).fill('rejected')]);
  });

  it('can have other keys once no touchpoint trusts it any more, a disabled one included', async () => {
    const [issuer, { publicJwk: next }] = [await newIssuer(), await newIssuer()];
    const owner = await trust(issuer.url, file(issuer.publicJwk));
    await app.administer('touchpoint', 'disable', codeOf(owner));
    await expect(trust(issuer.url, file(next))).rejects.toEqual(otherKeys);
    await app.administer('touchpoint', 'provider', 'remove', codeOf(owner), '--issuer', issuer.url);
    await trust(issuer.url, file(next));
  });
});
