import type { ApiClient } from '../../support/api/api-client';
import type { SessionBody } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';

const ASSERTIONS = '/sandbox/assertions';

describe('the identity provider of a sandbox', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.start({ env: { SANDBOX: 'true' } });
  });
  beforeEach(async () => {
    client = await app.client();
  });
  afterAll(() => app.close());

  it('finds its key when the database can be asked again', async () => {
    await app.query('ALTER TABLE sandbox_key RENAME TO away');
    expect((await client.post(ASSERTIONS, { sub: 'user-1' })).status).toBe(500);
    await app.query('ALTER TABLE away RENAME TO sandbox_key');
    expect((await client.post(ASSERTIONS, { sub: 'user-1' })).status).toBe(200);
  });

  it('is trusted as soon as several ask at once for the first time', async () => {
    const said = { sub: 'user-2', email: 'two@shop.test', emailVerified: true, givenName: 'Ada', familyName: 'King' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.post<{ assertion: string }>(ASSERTIONS, said)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const { body } of answers) {
      const { status } = await client.post('/api/v1/identify', { assertion: body.assertion });
      expect([200, 201]).toContain(status);
    }
  });

  it('signs assertions, for which no provider was set up, by the clock of the touchpoint', async () => {
    await client.post('/sandbox/clock', { advance: '20d' });
    const said = { sub: 'user-1', email: 'who@shop.test', emailVerified: true, givenName: 'Ada', familyName: 'King' };
    const sign = async () => (await client.post<{ assertion: string }>(ASSERTIONS, said)).body.assertion;
    const first = await client.post<SessionBody>('/api/v1/identify', { assertion: await sign() });
    const second = await client.post<SessionBody>('/api/v1/identify', { assertion: await sign() });
    expect([first.status, second.status, second.body.customerId]).toEqual([201, 200, first.body.customerId]);
    expect((await client.as(second.body.token).get('/api/v1/me')).body).toMatchObject({
      ...{ firstName: 'Ada', lastName: 'King', email: 'who@shop.test', emailVerified: true },
    });
    expect((await client.post(ASSERTIONS, {})).status).toBe(400);
  });
});
