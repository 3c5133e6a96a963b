import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiProblem,
  type ConsumerEvent,
  ConsumerServiceClient,
  SubscriberClient,
  type SubscriberCredential,
} from 'consumer-service-client';
import { type Service, startService } from './service.mjs';

const PASSWORD = 'correct horse battery staple';

describe('a subscriber', () => {
  let service: Service;
  let shop: ConsumerServiceClient;
  let credential: SubscriberCredential;

  before(async () => {
    service = await startService();
    shop = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint: service.touchpoint() });
    credential = service.cli<SubscriberCredential>('subscriber', 'create', '--code', 'crm', '--read-consumers');
  });
  after(() => service.stop());

  const register = async (): Promise<string> => {
    const email = `ada.${randomUUID()}@example.com`;
    const person = { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email, password: PASSWORD } as const;
    const session = await shop.register(person);
    assert.ok('customerId' in session);
    return session.customerId;
  };

  it('reads every event once, in order, and goes on when the service was away', async () => {
    let isAway = false;
    const subscriber = new SubscriberClient({
      ...{ baseUrl: service.baseUrl, subscriber: credential, retry: { attempts: 1 } },
      fetch: (request) => (isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(request)),
    });
    const registered = [await register(), await register()];
    const loop = new AbortController();
    const read: ConsumerEvent[] = [];
    let retries = 0;
    for await (const event of subscriber.events({
      ...{ after: '0', signal: loop.signal },
      onRetry: () => {
        retries += 1;
        isAway = false;
      },
    })) {
      read.push(event);
      if (read.length === 2) {
        isAway = true;
        registered.push(await register());
      }
      if (read.length === 3) loop.abort();
    }
    assert.deepEqual(
      read.map(({ subject, type }) => [subject, type]),
      registered.map((customerId) => [customerId, 'consumer.registered']),
    );
    assert.equal(retries, 1);

    const [first, , last] = read;
    assert.ok(first && last);
    await subscriber.acknowledge(first.position);
    const again = new AbortController();
    const positions: string[] = [];
    for await (const { position } of subscriber.events({ signal: again.signal })) {
      positions.push(position);
      if (position === last.position) again.abort();
    }
    assert.deepEqual(
      positions,
      read.slice(1).map(({ position }) => position),
    );
  });

  it('reads every event once although the service is killed, and then the reader', async () => {
    const start = () => new SubscriberClient({ baseUrl: service.baseUrl, subscriber: credential });
    const read: string[] = [];
    /** Until so many have been read; the position is all that it keeps. */
    const readUpTo = async (count: number, after: string): Promise<string> => {
      for await (const { subject, position } of start().events({ after })) {
        read.push(subject);
        if (read.length === count) return position;
      }
      throw new Error('The loop ended');
    };
    const { end } = service.cli<{ end: string }>('subscriber', 'show', credential.code);
    const registered = [await register()];
    const reading = readUpTo(2, end);
    // Meanwhile it waits for the next event.
    await sleep(1_000);
    await service.restart();
    registered.push(await register());
    const position = await reading;
    registered.push(await register());
    await readUpTo(3, position);
    assert.deepEqual(read, registered);
  });

  it('ends in the middle of a page', async () => {
    const subscriber = new SubscriberClient({ baseUrl: service.baseUrl, subscriber: credential });
    await register();
    await register();
    const loop = new AbortController();
    const read: string[] = [];
    const pages: string[] = [];
    const options = { after: '0', signal: loop.signal, onPage: (nextAfter: string) => void pages.push(nextAfter) };
    for await (const { position } of subscriber.events(options)) {
      read.push(position);
      loop.abort();
    }
    assert.deepEqual([read, pages], [['1'], []]);
  });

  it('learns where to go on, also where no event is for it, and is then not behind', async () => {
    const code = 'erasures';
    const rare = service.cli<SubscriberCredential>(
      'subscriber',
      'create',
      '--code',
      code,
      '--types',
      'consumer.erased',
    );
    const subscriber = new SubscriberClient({ baseUrl: service.baseUrl, subscriber: rare });
    const own = () => service.cli<{ acknowledged: string; behind: number }>('subscriber', 'show', code);
    const { acknowledged: after } = own();
    const customerId = await register();
    await register();
    const loop = new AbortController();
    const pages: string[] = [];
    const onPage = async (nextAfter: string) => {
      pages.push(nextAfter);
      await subscriber.acknowledge(nextAfter);
      if (pages.length === 1) service.cli('consumer', 'erase', customerId, '--yes');
      else loop.abort();
    };
    const read: string[] = [];
    for await (const { subject } of subscriber.events({ after, signal: loop.signal, onPage })) read.push(subject);
    assert.deepEqual(read, [customerId]);
    assert.deepEqual(
      pages.map((position) => Number(position) - Number(after)),
      [2, 3],
    );
    assert.equal(own().behind, 0);
  });

  it('ends with what its own reader throws, and does not ask again', async () => {
    const subscriber = new SubscriberClient({ baseUrl: service.baseUrl, subscriber: credential });
    const onPage = () => {
      throw new TypeError('The table is away');
    };
    const reading = async () => {
      for await (const { id } of subscriber.events({ after: '0', onPage })) assert.ok(id);
    };
    await assert.rejects(reading, TypeError);
  });

  it('reads a profile, and nothing of who is not there', async () => {
    const subscriber = new SubscriberClient({ baseUrl: service.baseUrl, subscriber: credential });
    const customerId = await register();
    assert.equal((await subscriber.consumer(customerId))?.customerId, customerId);
    assert.equal(await subscriber.consumer(randomUUID()), null);
  });

  it('ends with what asking again cannot help', async () => {
    const stranger = new SubscriberClient({ baseUrl: service.baseUrl, subscriber: { ...credential, key: 'sub_none' } });
    await assert.rejects(stranger.events().next(), (error) => {
      assert.ok(error instanceof ApiProblem);
      assert.equal(error.code, 'SUBSCRIBER_UNAUTHORIZED');
      return true;
    });
  });
});
