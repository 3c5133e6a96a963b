import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { type ProblemBody, refusalOf } from '../../support/api/problems';
import { SubscriberClient } from '../../support/api/subscribers';
import { TestService } from '../../support/service/test-service';

describe('another system of the business', () => {
  let app: TestService;
  let client: ApiClient;
  let reading: SubscriberClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    reading = await SubscriberClient.create(app, '--read-consumers');
  });

  const read = ({ api }: SubscriberClient, id: string) =>
    api.get<Record<string, unknown> & ProblemBody>(`/integration/v1/consumers/${id}`);

  it('reads the profile as it is now, and each look is recorded', async () => {
    const { customerId, token } = await register(client);
    const me = await client.as(token).patch('/api/v1/me', { locale: 'de' });
    const answer = await read(reading, customerId);
    expect([answer.status, answer.body]).toEqual([200, { ...me.body, disabledAt: null }]);
    const { disabledAt } = await app.administer<{ disabledAt: string }>(
      ...['consumer', 'disable', customerId, '--reason', 'a test'],
    );
    expect((await read(reading, customerId)).body.disabledAt).toBe(disabledAt);
    const trail = await app.administer<{ type: string; actor: string; details: object }[]>(
      ...['audit', 'list', '--consumer', customerId],
    );
    const looks = trail.filter(({ type }) => type === 'consumer.read');
    expect(looks).toHaveLength(2);
    expect(looks[0]).toMatchObject({ actor: 'subscriber', details: { subscriber: reading.code } });
  });

  it('finds nobody who has been erased, never was, or cannot be', async () => {
    const { customerId } = await register(client);
    await app.administer('consumer', 'erase', customerId, '--yes');
    for (const id of [customerId, '01a1fc6f-0000-7000-8000-000000000000', 'ada']) {
      expect(refusalOf(await read(reading, id))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('reads nobody unless it may, whether there is somebody or not', async () => {
    const { customerId } = await register(client);
    const plain = await SubscriberClient.create(app);
    for (const id of [customerId, '01a1fc6f-0000-7000-8000-000000000000']) {
      expect(refusalOf(await read(plain, id))).toEqual([403, 'CONSUMER_READ_NOT_ALLOWED']);
    }
  });
});
