import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { Clock } from '../../platform/clock';
import type { MessageRepository } from '../queue/message.repository';
import { MessageQueueMetrics } from './message-queue-metrics';
import type { Metrics } from '../../platform/metrics/metrics';
import { WaitingMessages } from './waiting-messages';

/** Each time it is read three seconds have passed, so that what one gauge still finds young is old for the next. */
class HastyClock extends Clock {
  private ms = 0;

  override monotonicMs(): number {
    return (this.ms += 3_000);
  }
}

describe('the metrics of the message queues', () => {
  it('agree within a scrape, also where a look at the queues becomes too old in the middle of it', async () => {
    const registry = new Registry();
    const countWaiting = jest.fn().mockResolvedValueOnce([]).mockRejectedValue(new Error('away'));
    const messages = new WaitingMessages({ countWaiting } as unknown as MessageRepository, new HastyClock());
    new MessageQueueMetrics({ registry } as Metrics, messages);
    const scrape = async () => {
      // As scrapes come, each in a turn of its own.
      await nextTurn();
      const text = await registry.metrics();
      const has = (sample: string) => text.includes(`\nconsumer_service_${sample}`);
      return [has('database_up 1'), has('message_queue_waiting{'), has('message_queue_oldest_seconds{')];
    };
    expect(await scrape()).toEqual([true, true, true]);
    expect(await scrape()).toEqual([true, true, true]);
    expect(await scrape()).toEqual([false, false, false]);
    expect(countWaiting).toHaveBeenCalledTimes(2);
  });
});
