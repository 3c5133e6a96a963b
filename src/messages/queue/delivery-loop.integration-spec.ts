import { setTimeout as sleep } from 'node:timers/promises';
import { codeFor, enqueue } from '../../../test/support/in-process/queued-messages';
import { TestApp } from '../../../test/support/in-process/test-app';
import { PATIENCE_MS, until } from '../../../test/support/until';
import { Arrivals } from './arrivals';
import { DeliveryLoop } from './delivery-loop';
import { MessageDeliveries } from './message-deliveries';
import { MessageRepository } from './message.repository';

describe('a message', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  it('is taken as soon as its transaction is committed, not when the queue is next looked at', async () => {
    await app.nest.get(MessageDeliveries).beforeApplicationShutdown();
    const messages = app.nest.get(MessageRepository);
    const taken: string[] = [];
    const loop = new DeliveryLoop({
      take: (count, served) => messages.take('sms', count, served),
      handle: async ({ id, kind }) => {
        taken.push(kind);
        await messages.remove(id);
      },
      failed: (error) => {
        throw error;
      },
      concurrency: 1,
      pollInterval: 10 * PATIENCE_MS,
    });
    app.nest.get(Arrivals).listen('sms', () => {
      loop.wake();
    });
    try {
      await sleep(500);
      await enqueue(app, codeFor('+4915112345678'));
      await until(() => taken.length > 0);
    } finally {
      await loop.stop(5_000);
    }
    expect(taken).toEqual(['verification-code']);
  });
});
