import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { newId } from '../../platform/random';
import { seal } from '../../platform/secrets/sealing';
import { Secrets } from '../../platform/secrets/secrets';
import { EventDto } from '../feed/event.dto';
import { WebhookFailure, WebhookSender } from './webhook-sender';

const KEY = Buffer.alloc(32).toString('base64');
const EVENT = EventDto.from(
  {
    ...{ position: '1', id: newId(), type: 'consumer.erased', occurredAt: new Date(0), touchpoint: null, data: {} },
    ...{ consumerId: newId(), consumerVersion: '1' },
  },
  'test',
);

describe('a push', () => {
  const server = createServer((_, response) => response.writeHead(204).end());
  let connections = 0;

  beforeAll(async () => {
    server.on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  });
  beforeEach(() => {
    connections = 0;
  });
  afterAll(() => server.close());

  const push = (scheme: 'http' | 'https', webhookReach: AppConfig['webhookReach']) => {
    const config = Object.assign(new AppConfig({ APP_SECRET: 'x'.repeat(48) }), { webhookReach });
    const secrets = new Secrets(config);
    const subscriberId = newId();
    const url = `${scheme}://localhost:${(server.address() as AddressInfo).port}/`;
    const target = {
      ...{ subscriberId, url },
      ...{ secret: seal(secrets, 'webhook-secret', subscriberId, KEY), formerSecret: null },
    };
    return new WebhookSender(secrets, config, new Clock()).send(target, EVENT);
  };

  it('reaches a name that is allowed', async () => {
    await push('http', 'loopback');
    expect(connections).toBe(1);
  });

  it.each(['https', 'http'] as const)(
    'by %s connects to no name that resolves to a private address',
    async (scheme) => {
      const failure = await push(scheme, 'internet').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WebhookFailure);
      expect((failure as WebhookFailure).cause).toMatchObject({ code: 'PRIVATE_ADDRESS' });
      expect(connections).toBe(0);
    },
  );
});
