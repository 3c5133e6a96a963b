import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { MessageQueueMetrics } from './message-queue-metrics';
import type { Metrics } from './metrics';
import { WaitingMessages } from './waiting-messages';

/** Three seconds pass between two looks at it, so that what one gauge still finds young is old for the next. */
class HastyClock extends Clock {
  private ms = 0;

  override monotonicMs(): number {
    return (this.ms += 3_000);
  }
}

describe('the metrics of the message queues', () => {
  it('agree within a scrape, also where a look at the queues becomes too old in the middle of it', async () => {
    const registry = new Registry();
    const query = jest.fn().mockResolvedValueOnce([]).mockRejectedValue(new Error('away'));
    const messages = new WaitingMessages({ query } as unknown as DataSource, new HastyClock());
    new MessageQueueMetrics({ registry } as Metrics, messages);
    const scrape = async () => {
      await nextTurn();
      const text = await registry.metrics();
      return { up: text.includes('consumer_service_database_up 1'), queues: text.includes('queue_waiting{') };
    };
    expect(await scrape()).toEqual({ up: true, queues: true });
    expect(await scrape()).toEqual({ up: true, queues: true });
    expect(await scrape()).toEqual({ up: false, queues: false });
  });
});
