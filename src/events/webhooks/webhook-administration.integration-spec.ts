import { TestApp } from '../../../test/support/in-process/test-app';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { SubscribersService } from '../subscribers/subscribers.service';
import { OVERLAP_SECONDS, WebhookAdministration } from './webhook-administration';
import { WebhookRepository } from './webhook.repository';

describe('the administration of webhooks', () => {
  let app: TestApp;
  let webhooks: WebhookAdministration;

  beforeAll(async () => {
    app = await TestApp.start();
    webhooks = app.nest.get(WebhookAdministration);
    const settings = { types: [], touchpoints: [], readsConsumers: false };
    await app.nest.get(SubscribersService).create('crm', settings, { fromStart: false }, SERVICE_ORIGIN);
    await webhooks.set('crm', 'https://crm.example.com/events?token=canary', SERVICE_ORIGIN);
  });
  afterAll(() => app.close());

  const isFormerKept = async (): Promise<boolean> => {
    const statement = 'SELECT former_secret IS NOT NULL OR former_secret_key IS NOT NULL AS kept FROM webhook';
    const [row] = await app.dataSource.query<{ kept: boolean }[]>(statement);
    return row?.kept ?? true;
  };

  it('records where events go without the query, which may hold a token', async () => {
    const audited = await app.dataSource.query<{ row: string }[]>('SELECT e::text AS row FROM audit_event e');
    const trail = JSON.stringify(audited);
    expect(trail).toContain('https://crm.example.com/events');
    expect(trail).not.toContain('canary');
  });

  it('keeps a replaced secret until its overlap ends', async () => {
    const forget = () => app.nest.get(WebhookRepository).forgetFormerSecrets();
    await webhooks.rotateSecret('crm', OVERLAP_SECONDS, SERVICE_ORIGIN);
    await forget();
    expect(await isFormerKept()).toBe(true);
    await app.dataSource.query('UPDATE webhook SET former_until = now()');
    await forget();
    expect(await isFormerKept()).toBe(false);
  });

  it('keeps nothing of a secret that is replaced without an overlap', async () => {
    await webhooks.rotateSecret('crm', OVERLAP_SECONDS, SERVICE_ORIGIN);
    await webhooks.rotateSecret('crm', 0, SERVICE_ORIGIN);
    expect(await isFormerKept()).toBe(false);
  });
});
