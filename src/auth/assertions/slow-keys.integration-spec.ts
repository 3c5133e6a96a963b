import { SERVICE_ORIGIN } from '../../audit/origin';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import type { ApiClient } from '../../../test/support/api/api-client';
import { AssertionIssuer } from '../../../test/support/identity-providers/assertion-issuer';
import { MovableClock } from '../../../test/support/in-process/movable-clock';
import { TestApp } from '../../../test/support/in-process/test-app';

/** How long a replica may go on with what has been revoked (contract: at most one second). */
const REVOCATION = { seconds: 1 };

const WRITTEN = ['consumer', 'identifier', 'external_identity', 'session', 'used_assertion', 'idempotency_record'];

const codeOf = (client: ApiClient) => client.headers['X-Touchpoint-Code'] ?? '';

describe('an assertion that waits for the keys of its issuer', () => {
  const clock = new MovableClock();
  const issuers: AssertionIssuer[] = [];
  let app: TestApp;
  let providers: IdentityProvidersService;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
    providers = app.nest.get(IdentityProvidersService);
  });
  afterAll(async () => {
    for (const issuer of issuers) issuer.close();
    await app.close();
  });

  const trust = ({ url, jwksUri }: AssertionIssuer, client: ApiClient) =>
    providers.add(
      codeOf(client),
      { issuer: url, audience: 'shop', keys: { uri: jwksUri }, trustsEmail: false },
      SERVICE_ORIGIN,
    );
  const distrust = ({ url }: AssertionIssuer, client: ApiClient) =>
    providers.remove(codeOf(client), url, SERVICE_ORIGIN);

  async function answerAfter(act: (issuer: AssertionIssuer, client: ApiClient) => Promise<unknown>) {
    const issuer = await AssertionIssuer.start(clock);
    issuers.push(issuer);
    const client = (await app.client()).with({ 'Idempotency-Key': 'slow' });
    await trust(issuer, client);
    const before = await contents();
    issuer.meanwhile = async () => {
      await act(issuer, client);
      clock.advance(REVOCATION);
    };
    const assertion = await issuer.sign({ given_name: 'Ada', family_name: 'Lovelace' });
    const { status, body } = await client.post<{ code?: string }>('/api/v1/identify', { assertion });
    const hasWritten = JSON.stringify(await contents()) !== JSON.stringify(before);
    return { status, code: body.code, hasWritten };
  }

  /** Everything that the request could have written. */
  const contents = () =>
    Promise.all(WRITTEN.map((table) => app.dataSource.query(`SELECT t::text FROM ${table} t ORDER BY 1`)));

  it('opens no session at a touchpoint that was disabled meanwhile', async () => {
    const disable = (_: AssertionIssuer, client: ApiClient) =>
      app.touchpoints.update(codeOf(client), { enabled: false }, SERVICE_ORIGIN);
    expect(await answerAfter(disable)).toEqual({ status: 401, code: 'TOUCHPOINT_UNAUTHORIZED', hasWritten: false });
  });

  it('opens no session for an issuer that was removed meanwhile, nor for one that was added anew', async () => {
    const refused = { status: 400, code: 'ASSERTION_INVALID', hasWritten: false };
    expect(await answerAfter(distrust)).toEqual(refused);
    const replace = async (issuer: AssertionIssuer, client: ApiClient) => {
      await distrust(issuer, client);
      await trust(issuer, client);
    };
    expect(await answerAfter(replace)).toEqual(refused);
  });

  it('opens one when nothing was revoked', async () => {
    expect(await answerAfter(() => Promise.resolve())).toEqual({ status: 201, code: undefined, hasWritten: true });
  });
});
