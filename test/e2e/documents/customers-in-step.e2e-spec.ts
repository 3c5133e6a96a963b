import type { ApiClient } from '../../support/api/api-client';
import { newPerson, register } from '../../support/api/consumers';
import { SubscriberClient } from '../../support/api/subscribers';
import { GuideProgram } from '../../support/guides/guide';
import { PartnerDatabase } from '../../support/documents/partner-database';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const PAGE = 'docs/integrate/guides/events.md';

interface Profile {
  customerId: string;
  email: string;
  firstName: string;
}

describe('the reader of the guide', () => {
  let app: TestService;
  let client: ApiClient;
  let database: PartnerDatabase;
  let subscriber: SubscriberClient;
  let reader: GuideProgram | undefined;

  beforeAll(async () => {
    // Of its own: it reads every consumer of the service.
    app = await TestService.start();
    client = await app.client();
    database = await PartnerDatabase.start();
    subscriber = await SubscriberClient.create(app, '--read-consumers');
  });
  afterEach(async () => {
    await reader?.stop();
    reader = undefined;
  });
  afterAll(async () => {
    await database.stop();
    await app.close();
  });

  const start = async (settings: Record<string, string> = {}) => {
    reader = await GuideProgram.start(PAGE, {
      ...{ API: app.baseUrl, DATABASE_URL: database.url, SUBSCRIBER_CODE: subscriber.code },
      ...{ SUBSCRIBER_KEY: subscriber.api.headers['X-Subscriber-Key'], ...settings },
    });
    return reader;
  };
  const customers = () => database.query<{ id: string; profile: Profile }>('SELECT id, profile FROM customer');
  const customer = async (id: string) => (await customers()).find((one) => one.id === id)?.profile;
  const position = async () => {
    const [row] = await database.query<{ position: string }>('SELECT position FROM customer_position');
    return row?.position;
  };

  it('keeps a table of customers in step, over a kill and an erasure', async () => {
    const { greeting } = await start();
    expect(greeting).toBe('goes on after what was acknowledged');
    const { customerId: ada, email } = await register(client, { firstName: 'Ada' });
    const { customerId: bob, token } = await register(client, { firstName: 'Bob' });
    await until(async () => (await customer(bob)) !== undefined);
    expect(await customer(ada)).toMatchObject({ customerId: ada, email, firstName: 'Ada' });

    await reader?.stop('SIGKILL');
    const seen = await position();
    await client.as(token).patch('/api/v1/me', { firstName: 'Robert' });
    await app.administer('consumer', 'erase', ada, '--yes');
    const { customerId: late } = await register(client);
    expect((await start()).greeting).toBe(`goes on after ${seen}`);
    await until(async () => (await customer(late)) !== undefined);
    expect(await customer(ada)).toBeUndefined();
    expect((await customer(bob))?.firstName).toBe('Robert');
    await until(
      async () =>
        (await app.administer<{ acknowledged: string }>('subscriber', 'show', subscriber.code)).acknowledged ===
        (await position()),
    );
  });

  it('reads what it knows anew when it was away for too long', async () => {
    await start();
    const person = newPerson();
    const { customerId, token } = await register(client, person);
    await until(async () => (await customer(customerId)) !== undefined);
    await reader?.stop();
    await client.as(token).patch('/api/v1/me', { firstName: 'Grace' });
    const { nextAfter } = await subscriber.read({ limit: 1000, after: (await position()) ?? '0' });
    await start({ REFRESH_UP_TO: nextAfter });
    expect((await customer(customerId))?.firstName).toBe('Grace');
    expect(await position()).toBe(nextAfter);
  });
});
