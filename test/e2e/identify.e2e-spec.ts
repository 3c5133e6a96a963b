import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { SERVICE_ORIGIN } from '../../src/platform/audit/origin';
import { newId } from '../../src/platform/random';
import { IdentityProvidersService } from '../../src/touchpoints/identity-providers.service';
import { AuthenticationMode, ChannelProof } from '../../src/touchpoints/touchpoint.entity';
import type { TouchpointSettings } from '../../src/touchpoints/touchpoints.service';
import type { Answer, ApiClient } from '../support/api-client';
import { AssertionIssuer, type KeyServerBehaviour } from '../support/assertion-issuer';
import { buildCli, inTwos, runCli } from '../support/cli';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { codeSentTo } from '../support/mailbox';
import { MovableClock } from '../support/movable-clock';
import { OpenIdProvider } from '../support/openid-provider';
import { type ProblemBody, violationsOf } from '../support/problems';
import { TestApp } from '../support/test-app';

const ADA = { given_name: 'Ada', family_name: 'Lovelace' };

/** How long a replica may go on trusting a provider that has been removed (contract: at most one second). */
const REVOCATION_MS = 1_000;

type Identified = Answer<SessionBody & ProblemBody>;

const identify = (client: ApiClient, assertion: unknown, fields: object = {}): Promise<Identified> =>
  client.post('/api/v1/identify', { assertion, ...fields });

const outcomeOf = ({ status, body }: Identified): string => (status < 300 ? String(status) : `${status} ${body.code}`);

const codeOf = (client: ApiClient): string => client.headers['X-Touchpoint-Code'] ?? '';

const newEmail = (): string => newPerson().email;

describe('POST /api/v1/identify', () => {
  const clock = new MovableClock();
  const issuers: AssertionIssuer[] = [];
  let app: TestApp;
  let replica: TestApp;
  let providers: IdentityProvidersService;
  let issuer: AssertionIssuer;
  let client: ApiClient;

  const newIssuer = async (alg?: string): Promise<AssertionIssuer> => {
    const started = await AssertionIssuer.start(clock, alg);
    issuers.push(started);
    return started;
  };
  /** A new touchpoint that trusts an issuer. */
  const trusting = async (
    { url, jwksUri }: { url: string; jwksUri: string },
    { trustsEmail = false, ...settings }: Partial<TouchpointSettings> & { trustsEmail?: boolean } = {},
  ): Promise<ApiClient> => {
    const touchpoint = await app.client(settings);
    const provider = { issuer: url, audience: 'shop', keys: { uri: jwksUri }, trustsEmail };
    await providers.add(codeOf(touchpoint), provider, SERVICE_ORIGIN);
    return touchpoint;
  };
  const profileOf = async ({ body }: Identified) => (await client.as(body.token).get('/api/v1/me')).body;
  const consumers = async (): Promise<number> => {
    const [row] = await app.dataSource.query<[{ count: number }]>('SELECT count(*)::int AS count FROM consumer');
    return row.count;
  };

  beforeAll(async () => {
    buildCli();
    app = await TestApp.start({ clock });
    replica = await TestApp.start({ replicaOf: app, clock });
    providers = app.nest.get(IdentityProvidersService);
    issuer = await newIssuer();
    client = await trusting(issuer);
  });
  afterAll(async () => {
    for (const started of issuers) started.close();
    await replica.close();
    await app.close();
  });

  it('takes the ID token of an OpenID Connect provider: 201 the first time, then 200 for the same consumer', async () => {
    const email = newEmail();
    const provider = await OpenIdProvider.start({ ...ADA, email, email_verified: true, locale: 'en-GB' });
    try {
      const shop = await trusting({ url: provider.issuer, jwksUri: await provider.jwksUri() }, { trustsEmail: true });
      const first = await identify(shop, await provider.signIn('ada'));
      expect([first.status, Object.keys(first.body).sort()]).toEqual([201, ['customerId', 'token']]);
      expect(await profileOf(first)).toMatchObject({
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
    const sub = newId();
    const assertion = await issuer.sign({ sub, ...ADA });
    const first = await identify(client, assertion);
    expect(first.status).toBe(201);
    expect(outcomeOf(await identify(client, assertion))).toBe('409 ASSERTION_REPLAYED');
    expect(outcomeOf(await identify(await trusting(issuer), assertion))).toBe('409 ASSERTION_REPLAYED');
    const fresh = await identify(client, await issuer.sign({ sub }));
    expect([fresh.status, fresh.body.customerId]).toEqual([200, first.body.customerId]);
  });

  it('answers a retry with the same Idempotency-Key as the first time, though the assertion has been used', async () => {
    const keyed = client.with({ 'Idempotency-Key': newId() });
    const assertion = await issuer.sign({ sub: newId(), ...ADA });
    const first = await identify(keyed, assertion);
    const again = await identify(keyed, assertion);
    expect([again.status, again.body.customerId]).toEqual([201, first.body.customerId]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await profileOf(again)).toEqual(await profileOf(first));
    expect(outcomeOf(await identify(client, assertion))).toBe('409 ASSERTION_REPLAYED');
  });

  it('refuses what is not a good assertion of a trusted issuer for this touchpoint, whatever is wrong', async () => {
    const now = Math.floor(clock.epochMs() / 1000);
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
    const now = Math.floor(clock.epochMs() / 1000);
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
    const keys = { file: JSON.stringify({ keys: [await exportJWK(publicKey), unnamed] }) };
    const provider = { issuer: backend.url, audience: 'shop', keys, trustsEmail: false };
    await providers.add(codeOf(touchpoint), provider, SERVICE_ORIGIN);
    // Without a `kid` every key is tried.
    expect(outcomeOf(await identify(touchpoint, await backend.sign(ADA, { kid: undefined })))).toBe('201');
    expect(outcomeOf(await identify(touchpoint, await backend.forge()))).toBe('400 ASSERTION_INVALID');
    expect(backend.requests).toBe(0);
  });

  describe('a touchpoint', () => {
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
      for (const settings of [
        { authenticationMode: AuthenticationMode.OneTimeCode },
        { channelProof: ChannelProof.Email },
        { channelProof: ChannelProof.Sms },
      ]) {
        expect(outcomeOf(await identify(await trusting(issuer, settings), await issuer.sign(ADA)))).toBe('201');
      }
    });

    it('is refused on every replica within a second of the removal of its provider', async () => {
      const shop = await trusting(issuer);
      const everywhere = [shop, shop.at(replica.baseUrl)];
      for (const there of everywhere) expect((await identify(there, await issuer.sign(ADA))).status).toBe(201);
      await providers.remove(codeOf(shop), issuer.url, SERVICE_ORIGIN);
      await setTimeout(REVOCATION_MS);
      for (const there of everywhere) {
        expect(outcomeOf(await identify(there, await issuer.sign(ADA)))).toBe('403 IDENTIFY_NOT_ALLOWED');
      }
    });

    it('gets no session by an old Idempotency-Key once the issuer is trusted no more', async () => {
      const shop = await trusting(issuer);
      const other = await newIssuer();
      const provider = { issuer: other.url, audience: 'shop', keys: { uri: other.jwksUri }, trustsEmail: false };
      await providers.add(codeOf(shop), provider, SERVICE_ORIGIN);
      const keyed = shop.with({ 'Idempotency-Key': newId() });
      const assertion = await issuer.sign({ sub: newId(), ...ADA });
      expect((await identify(keyed, assertion)).status).toBe(201);
      await providers.remove(codeOf(shop), issuer.url, SERVICE_ORIGIN);
      await setTimeout(REVOCATION_MS);
      expect(outcomeOf(await identify(keyed, assertion))).toBe('400 ASSERTION_INVALID');
    });
  });

  describe('a new consumer', () => {
    it('is made of the claims, and of the fields beside the assertion where those say nothing usable', async () => {
      const email = newEmail();
      const claims = { given_name: '  Ada ', family_name: 'Lovelace', email: 'no address', locale: 'en_GB' };
      const phone_number = `+1202555${String(process.pid).padStart(4, '0').slice(-4)}`;
      const fields = { firstName: 'Augusta', email, locale: 'de', birthDate: '1815-12-10', attributes: { tier: 1 } };
      const made = await identify(client, await issuer.sign({ ...claims, phone_number }), fields);
      expect(made.status).toBe(201);
      expect(await profileOf(made)).toMatchObject({
        ...{ firstName: 'Ada', lastName: 'Lovelace', email, emailVerified: false, locale: 'de', hasPassword: false },
        ...{ phone: phone_number, phoneVerified: false, birthDate: '1815-12-10', attributes: { tier: 1 } },
      });
    });

    it('needs names, all of which are asked for at once, and the refused assertion is still good', async () => {
      const assertion = await issuer.sign({ given_name: '' });
      const refused = await identify(client, assertion);
      expect([refused.status, violationsOf(refused)]).toEqual([400, ['firstName REQUIRED', 'lastName REQUIRED']]);
      const named = await identify(client, assertion, { firstName: 'Ada', lastName: 'Lovelace' });
      expect(named.status).toBe(201);
    });

    it('has a body that is judged as a registration without a password', async () => {
      const wrong = { type: 'COMPANY', firstName: 1, email: 'x', birthDate: '2999-01-01', password: PASSWORD };
      expect(violationsOf(await identify(client, undefined, wrong))).toEqual([
        ...['assertion REQUIRED', 'birthDate INVALID_VALUE', 'email INVALID_FORMAT', 'firstName INVALID_TYPE'],
        ...['password FORBIDDEN', 'type INVALID_VALUE'],
      ]);
    });

    it('is recorded with the issuer, and nothing of what the assertion says', async () => {
      const email = newEmail();
      const sub = newId();
      const { body } = await identify(client, await issuer.sign({ sub, email, ...ADA }));
      const rows = await app.dataSource.query<{ type: string; details: object; row: string }[]>(
        'SELECT type, details, a::text AS row FROM audit_event a WHERE consumer_id = $1 ORDER BY id',
        [body.customerId],
      );
      expect(rows.map(({ type, details }) => ({ type, details }))).toEqual([
        { type: 'consumer.registered', details: { by: 'identification' } },
        { type: 'consumer.identified', details: { issuer: issuer.url, sessionId: expect.any(String) as string } },
      ]);
      for (const { row } of rows) for (const secret of [email, sub, 'Lovelace']) expect(row).not.toContain(secret);
    });
  });

  describe('an e-mail address that somebody has', () => {
    const claimed = async () => register(client, { email: newEmail() });
    const verified = async () => {
      const proving = await app.client({ channelProof: ChannelProof.Email });
      const person = newPerson();
      const { body } = await proving.post('/api/v1/register', person);
      const code = await codeSentTo(app, person.email);
      const completed = await proving.post<SessionBody>('/api/v1/register/complete', {
        ...{ registrationId: body.registrationId, code, password: PASSWORD },
      });
      return { ...completed.body, email: person.email };
    };

    it.each([
      { here: 'verified', trustsEmail: true, says: true, outcome: 'is linked to its holder' },
      { here: 'verified', trustsEmail: true, says: false, outcome: '409 IDENTIFIER_TAKEN' },
      { here: 'verified', trustsEmail: true, says: 'true', outcome: '409 IDENTIFIER_TAKEN' },
      { here: 'verified', trustsEmail: false, says: true, outcome: '409 IDENTIFIER_TAKEN' },
      { here: 'claimed', trustsEmail: true, says: true, outcome: 'beats the claim' },
      { here: 'claimed', trustsEmail: true, says: false, outcome: 'is left out' },
      { here: 'claimed', trustsEmail: false, says: true, outcome: 'is left out' },
      { here: 'claimed', trustsEmail: false, says: false, outcome: 'is left out' },
    ])(
      'is $here here, and called verified ($says) by an issuer (trusted: $trustsEmail): $outcome',
      async ({ here, trustsEmail, says, outcome }) => {
        const holder = await (here === 'verified' ? verified() : claimed());
        const shop = await trusting(issuer, { trustsEmail });
        const sub = newId();
        const claims = { sub, email: holder.email.toUpperCase(), email_verified: says, ...ADA };
        const assertion = await issuer.sign(claims);
        const answer = await identify(shop, assertion);
        const holdersProfile = (await client.as(holder.token).get('/api/v1/me')).body;
        if (outcome === 'is linked to its holder') {
          expect([answer.status, answer.body.customerId]).toEqual([200, holder.customerId]);
          const later = await identify(shop, await issuer.sign({ sub }));
          expect([later.status, later.body.customerId]).toEqual([200, holder.customerId]);
        } else if (outcome === 'beats the claim') {
          expect(answer.status).toBe(201);
          expect(answer.body.customerId).not.toBe(holder.customerId);
          expect(await profileOf(answer)).toMatchObject({ email: holder.email, emailVerified: true });
          expect(holdersProfile.email).toBeNull();
        } else if (outcome === 'is left out') {
          expect(answer.status).toBe(201);
          expect(answer.body.customerId).not.toBe(holder.customerId);
          expect(await profileOf(answer)).toMatchObject({ email: null, emailVerified: false });
          expect(holdersProfile).toMatchObject({ email: holder.email, emailVerified: false });
        } else {
          expect([outcomeOf(answer), violationsOf(answer)]).toEqual([outcome, ['email IN_USE']]);
          expect(holdersProfile).toMatchObject({ email: holder.email, emailVerified: here === 'verified' });
          // The refused assertion is still good.
          expect(outcomeOf(await identify(shop, assertion))).toBe(outcome);
        }
      },
    );
  });

  describe('at once', () => {
    it('twenty first assertions of one subject make one consumer', async () => {
      const before = await consumers();
      const sub = newId();
      const assertions = await Promise.all(Array.from({ length: 20 }, () => issuer.sign({ sub, ...ADA })));
      const answers = await Promise.all(assertions.map((assertion) => identify(client, assertion)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.customerId)).size).toBe(1);
      expect(await consumers()).toBe(before + 1);
    });

    it('ten subjects with one verified address become one consumer', async () => {
      const before = await consumers();
      const shop = await trusting(issuer, { trustsEmail: true });
      const claims = { email: newEmail(), email_verified: true, ...ADA };
      const assertions = await Promise.all(Array.from({ length: 10 }, () => issuer.sign(claims)));
      const answers = await Promise.all(assertions.map((assertion) => identify(shop, assertion)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.customerId)).size).toBe(1);
      expect(await consumers()).toBe(before + 1);
    });

    it('twenty uses of one assertion have one success', async () => {
      const sub = newId();
      for (const assertion of [await issuer.sign({ sub, ...ADA }), await issuer.sign({ sub })]) {
        const answers = await Promise.all(Array.from({ length: 20 }, () => identify(client, assertion)));
        const [success = '', ...others] = answers.map(outcomeOf).sort();
        expect(['200', '201']).toContain(success);
        expect(others).toEqual(Array(19).fill('409 ASSERTION_REPLAYED'));
      }
    });
  });

  describe('keys at an address', () => {
    it('are asked for once, and again for a key that is missing, at most every 30 seconds', async () => {
      const rolling = await newIssuer();
      const shop = await trusting(rolling);
      const identified = async (header?: Record<string, unknown>) =>
        outcomeOf(await identify(shop, await rolling.sign(ADA, header)));
      expect(await Promise.all(Array.from({ length: 5 }, () => identified()))).toEqual(Array(5).fill('201'));
      expect(rolling.requests).toBe(1);

      await rolling.rollOver();
      expect(await Promise.all(Array.from({ length: 5 }, () => identified()))).toEqual(Array(5).fill('201'));
      expect(rolling.requests).toBe(2);

      const unknown = { kid: 'unknown' };
      for (const header of [unknown, unknown]) expect(await identified(header)).toBe('400 ASSERTION_INVALID');
      expect([await identified(), rolling.requests]).toEqual(['201', 2]);

      clock.advance({ seconds: 31 });
      for (const header of [unknown, unknown]) expect(await identified(header)).toBe('400 ASSERTION_INVALID');
      expect(rolling.requests).toBe(3);

      clock.advance({ seconds: 601 });
      expect([await identified(), rolling.requests]).toEqual(['201', 4]);
    });

    it.each<KeyServerBehaviour>(['mute', 'trickle', 'endless', 'redirect', 'error', 'prose', 'no set'])(
      'that answers with %s are not to be had: 503, and one request for all who wait',
      async (behaviour) => {
        const failing = await newIssuer();
        failing.behaviour = behaviour;
        const shop = await trusting(failing);
        const assertions = await Promise.all(Array.from({ length: 5 }, () => failing.sign(ADA)));
        const answers = await Promise.all(assertions.map((assertion) => identify(shop, assertion)));
        expect(answers.map(outcomeOf)).toEqual(Array(5).fill('503 SERVICE_UNAVAILABLE'));
        expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(5).fill('2'));
        expect(failing.requests).toBe(1);
        expect(failing.bytesSent).toBeLessThan(32 * 1024 * 1024);

        failing.behaviour = 'keys';
        clock.advance({ seconds: 2 });
        expect(outcomeOf(await identify(shop, await failing.sign(ADA)))).toBe('201');
      },
    );

    it('still serve the known keys while a new one is not to be had', async () => {
      const failing = await newIssuer();
      const shop = await trusting(failing);
      expect(outcomeOf(await identify(shop, await failing.sign(ADA)))).toBe('201');
      failing.behaviour = 'error';
      for (const _ of [1, 2]) {
        const answer = await identify(shop, await failing.sign(ADA, { kid: 'unknown' }));
        expect(outcomeOf(answer)).toBe('503 SERVICE_UNAVAILABLE');
      }
      expect(failing.requests).toBe(2);
      expect(outcomeOf(await identify(shop, await failing.sign(ADA)))).toBe('201');
    });
  });

  describe('the provider commands', () => {
    let directory: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'consumer-service-keys-'));
    });
    afterAll(() => rm(directory, { recursive: true, force: true }));

    it('add, list and remove', async () => {
      const backend = await newIssuer();
      const shop = await app.client();
      const file = join(directory, 'keys.json');
      await writeFile(file, JSON.stringify({ keys: [backend.publicJwk] }));
      const run = async (command: string, ...args: string[]) => {
        const result = await runCli(app.env, 'touchpoint', 'provider', command, codeOf(shop), ...args, '--json');
        expect(result).toMatchObject({ exitCode: 0, stderr: '' });
        return JSON.parse(result.stdout) as Record<string, unknown>[];
      };
      const given = ['--issuer', backend.url, '--audience', 'shop', '--jwks-file', file, '--trust-email'];
      const { kid, kty, alg } = backend.publicJwk;
      const added = {
        ...{ issuer: backend.url, audience: 'shop', keys: [{ kid, kty, alg }], trustEmail: true },
        createdAt: expect.any(String) as string,
      };
      expect(await run('add', ...given)).toEqual([added]);
      expect(await run('list')).toEqual([added]);
      expect(outcomeOf(await identify(shop, await backend.sign(ADA)))).toBe('201');
      expect(await run('remove', '--issuer', backend.url)).toEqual([]);

      const trail = await app.dataSource.query<{ type: string; actor: string; details: unknown }[]>(
        `SELECT type, actor, details FROM audit_event WHERE touchpoint = $1 AND actor = 'cli' ORDER BY id`,
        [codeOf(shop)],
      );
      expect(trail).toEqual([
        {
          ...{ type: 'touchpoint.provider-added', actor: 'cli' },
          details: { issuer: backend.url, audience: 'shop', trustsEmail: true },
        },
        { type: 'touchpoint.provider-removed', actor: 'cli', details: { issuer: backend.url } },
      ]);
    });

    it('tell a mistake in one line and exit 1, having changed nothing', async () => {
      const shop = codeOf(await trusting(issuer));
      const named = ['add', shop, '--issuer', 'https://id.example.com', '--audience', 'shop'];
      const mistakes: [command: string[], message: RegExp][] = [
        [named, /Name either --jwks-uri or --jwks-file/],
        [[...named, '--jwks-uri', 'http://id.example.com/jwks'], /--jwks-uri must be an https:\/\/ address/],
        [[...named, '--jwks-file', join(directory, 'none.json')], /none\.json cannot be read \(ENOENT\)/],
        [['add', shop, '--issuer', issuer.url, '--audience', 'x', '--jwks-uri', issuer.jwksUri], /remove it first/],
        [['remove', shop, '--issuer', 'https://id.example.com'], /does not trust https:\/\/id\.example\.com/],
        [['destroy', shop], /unknown command 'touchpoint provider destroy'/],
      ];
      const told = await inTwos(mistakes, ([command]) => runCli(app.env, 'touchpoint', 'provider', ...command));
      for (const [index, [command, message]] of mistakes.entries()) {
        expect({ command, ...told[index] }).toEqual({
          command,
          exitCode: 1,
          stdout: '',
          stderr: expect.stringMatching(new RegExp(`^[^\\n]*${message.source}[^\\n]*\\n$`)) as string,
        });
      }
      expect((await providers.list(shop)).map((provider) => provider.issuer)).toEqual([issuer.url]);
    });
  });
});
