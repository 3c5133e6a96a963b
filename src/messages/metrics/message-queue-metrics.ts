import { Inject, Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { Metrics } from '../../platform/metrics/metrics';
import type { WaitingOfChannel } from '../queue/message.repository';
import { WaitingMessages } from './waiting-messages';

/** The messages that wait to be handed over; their gauges are absent while the database does not answer. */
@Injectable()
export class MessageQueueMetrics {
  constructor(
    @Inject(Metrics) metrics: Metrics | null,
    private readonly messages: WaitingMessages,
  ) {
    if (metrics === null) return;
    const { registry } = metrics;
    this.byChannel(registry, 'consumer_service_message_queue_waiting', 'Messages that wait.', ({ count }) => count);
    this.byChannel(
      registry,
      'consumer_service_message_queue_oldest_seconds',
      'Age of the oldest message that waits, or 0.',
      ({ oldestSeconds }) => oldestSeconds,
    );
    new Gauge({
      name: 'consumer_service_database_up',
      help: '1 if the database answered when last asked for the queues.',
      registers: [registry],
      async collect() {
        this.set(Number((await messages.byChannel()) !== null));
      },
    });
  }

  private byChannel(registry: Registry, name: string, help: string, valueOf: (row: WaitingOfChannel) => number): void {
    const { messages } = this;
    new Gauge({
      name,
      help,
      labelNames: ['channel'],
      registers: [registry],
      async collect() {
        const rows = await messages.byChannel();
        this.reset();
        for (const row of rows ?? []) this.set({ channel: row.channel }, valueOf(row));
      },
    });
  }
}
