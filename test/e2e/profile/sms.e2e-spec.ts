import type { ApiClient } from '../../support/api/api-client';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { scrape, valueOf } from '../../support/service/metrics';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { TestService, type TouchpointOptions } from '../../support/service/test-service';

const DAILY = 3;
const DAY_MS = 86_400_000;
const REFUSED = [400, ['phone INVALID_VALUE']];
const [PREMIUM, SHARED_COST, SATELLITE, PAGER] = ['+19002345678', '+491801234567', '+881612345678', '+447640123456'];

let phones = 0;
const newPhone = (prefix = '+1202555'): string => `${prefix}${String((phones += 1)).padStart(4, '0')}`;
const norwegian = () => newPhone('+474061');

describe('SMS', () => {
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.start({ clock: 'stopped', metrics: true, env: { SMS_DAILY_LIMIT: String(DAILY) } });
    // Nine in the evening: three hours before the allowance begins anew.
    const untilNine = (Date.parse('2026-01-01T21:00:00Z') - app.clock.epochMs()) % DAY_MS;
    await app.clock.advance({ seconds: (untilNine + DAY_MS) / 1000 });
  });
  afterAll(() => app.close());

  const proving = (settings: TouchpointOptions = {}) => app.client({ channelProof: 'SMS', ...settings });
  const begin = (client: ApiClient, phone: string | undefined = newPhone()) =>
    client.post<ProblemBody>('/api/v1/register', newPerson({ phone }));
  const outcome = async (answer: ReturnType<ApiClient['post']>) => {
    const given = (await answer) as Awaited<ReturnType<typeof begin>>;
    return [given.status, violationsOf(given)];
  };

  it('cannot cost more than the daily allowance of a touchpoint, which begins anew at midnight in UTC', async () => {
    const client = await proving();
    const used = async () =>
      valueOf((await scrape(app.metricsAddress)).samples, 'consumer_service_sms_allowance_used_ratio');
    for (let send = 1; send <= DAILY; send += 1) {
      expect((await begin(client)).status).toBe(202);
      expect(await used()).toBe(send / DAILY);
    }
    await app.clock.advance({ minutes: 120 });
    const phone = newPhone();
    const refused = await begin(client, phone);
    expect([refused.status, refused.body.code]).toEqual([429, 'RESEND_TOO_SOON']);
    expect(refused.headers.get('retry-after')).toBe('3600');
    const instant = await app.client();
    expect((await begin(await proving(), phone)).status).toBe(202);
    const me = instant.as((await register(instant, { phone: newPhone() })).token);
    expect((await me.post('/api/v1/verifications/email/request')).status).toBe(202);
    await app.clock.advance({ minutes: 60 });
    expect(await used()).toBe(0);
    expect((await begin(client)).status).toBe(202);
  });

  it('cannot exceed the allowance when codes are asked for at once', async () => {
    const client = await proving();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => begin(client)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(DAILY);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - DAILY);
  });

  it.each([PREMIUM, SHARED_COST, SATELLITE, PAGER])('never go to %s, which is no phone of a person', async (phone) => {
    expect(await outcome(begin(await proving(), phone))).toEqual(REFUSED);
    const client = await app.client();
    expect(await outcome(begin(client, phone))).toEqual(REFUSED);
    const { token } = await register(client);
    expect(await outcome(client.as(token).patch('/api/v1/me', { phone }))).toEqual(REFUSED);
  });

  it('do not go to such a number that a consumer has from before, who can still log in with it', async () => {
    const client = await app.client();
    const { token, customerId } = await register(client, { phone: newPhone() });
    const me = client.as(token);
    await app.query(`UPDATE identifier SET value = $2 WHERE consumer_id = $1 AND kind = 'phone'`, [
      customerId,
      PREMIUM,
    ]);
    expect(await outcome(me.post('/api/v1/verifications/sms/request'))).toEqual(REFUSED);
    expect((await me.get('/api/v1/me')).body.phone).toBe(PREMIUM);
    expect((await client.post('/api/v1/login', { identifier: PREMIUM, password: PASSWORD })).status).toBe(200);
  });

  it('go only to the countries that the touchpoint names', async () => {
    const client = await proving({ smsCountries: 'NO,SE' });
    expect(await outcome(begin(client, newPhone()))).toEqual(REFUSED);
    expect((await begin(client, norwegian())).status).toBe(202);
    expect((await begin(client, newPhone('+4670123'))).status).toBe(202);

    const nordic = await app.client({ smsCountries: 'NO' });
    expect(await outcome(begin(nordic, newPhone()))).toEqual(REFUSED);
    const { token } = await register(nordic, { phone: norwegian() });
    expect(await outcome(nordic.as(token).patch('/api/v1/me', { phone: newPhone() }))).toEqual(REFUSED);
    expect((await nordic.as(token).patch('/api/v1/me', { phone: norwegian() })).status).toBe(200);
  });

  it('tell the countries that share a calling code apart', async () => {
    const client = await app.client({ smsCountries: 'US' });
    expect(await outcome(begin(client, '+18765551234'))).toEqual(REFUSED);
    expect((await begin(client, newPhone())).status).toBe(201);
    // Assigned to nobody: it counts as the first country's of its calling code.
    expect((await begin(client, '+15555550100')).status).toBe(201);
  });

  it('do not go from a touchpoint to a number of another country, which may stay in the profile', async () => {
    const anywhere = await app.client();
    const nordic = await app.client({ smsCountries: 'NO' });
    const phone = newPhone();
    const { token } = await register(anywhere, { phone });
    const me = nordic.as(token);
    expect(await outcome(me.post('/api/v1/verifications/sms/request'))).toEqual(REFUSED);
    expect((await me.patch('/api/v1/me', { phone, lastName: 'King' })).status).toBe(200);
    expect((await anywhere.as(token).post('/api/v1/verifications/sms/request')).status).toBe(202);
  });

  it('never go to a number that an assertion claims against these rules', async () => {
    const issuer = await AssertionIssuer.start(app.clock);
    const client = await app.client({ smsCountries: 'NO' });
    await app.trust(client, { issuer: issuer.url, jwks: { keys: [issuer.publicJwk] } });
    const names = { given_name: 'Ada', family_name: 'Lovelace' };
    const identify = async (claims: object, fields: object = {}) =>
      client.post<SessionBody & ProblemBody>('/api/v1/identify', {
        assertion: await issuer.sign({ ...names, ...claims }),
        ...fields,
      });
    const phoneOf = async ({ body }: Awaited<ReturnType<typeof identify>>) =>
      (await client.as(body.token).get('/api/v1/me')).body.phone;
    expect(await phoneOf(await identify({ phone_number: SATELLITE }))).toBeNull();
    expect(await phoneOf(await identify({ phone_number: newPhone() }))).toBeNull();
    const phone = norwegian();
    expect(await phoneOf(await identify({ phone_number: phone }))).toBe(phone);
    expect(await outcome(identify({}, { phone: SATELLITE }))).toEqual(REFUSED);
    expect(await outcome(identify({}, { phone: newPhone() }))).toEqual(REFUSED);
    issuer.close();
  });

  it('are bounded to countries by the command line, which also lifts the bound', async () => {
    const cli = (...args: string[]) => app.cli('touchpoint', ...args, '--json');
    const countries = async (...args: string[]) =>
      (JSON.parse((await cli(...args)).stdout) as { smsCountries: unknown }).smsCountries;
    expect(await countries('create', '--code', 'nordic', '--sms-countries', 'se, NO,NO')).toEqual(['NO', 'SE']);
    expect(await countries('update', 'nordic', '--name', 'Nordic')).toEqual(['NO', 'SE']);
    expect(await countries('update', 'nordic', '--sms-countries', 'DK')).toEqual(['DK']);
    expect(await countries('show', 'nordic')).toEqual(['DK']);
    expect(await countries('update', 'nordic', '--sms-countries', 'default')).toBeNull();
    const wrong = await cli('update', 'nordic', '--sms-countries', 'NO,Sweden');
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('SWEDEN')]);
    expect(await countries('show', 'nordic')).toBeNull();
  });
});

describe('SMS without a daily limit', () => {
  it('are counted by no allowance', async () => {
    const app = await TestService.start({ env: { SMS_DAILY_LIMIT: '0' } });
    const client = await app.client({ channelProof: 'SMS' });
    expect((await client.post('/api/v1/register', newPerson({ phone: newPhone() }))).status).toBe(202);
    const rows = await app.query<{ key: string }>('SELECT key FROM send_allowance');
    expect(rows.map(({ key }) => key.split(':')[0])).toEqual(['touchpoint']);
    await app.close();
  });
});
