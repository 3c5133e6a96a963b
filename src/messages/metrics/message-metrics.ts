import { Counter, type Registry } from 'prom-client';
import { type Channel, CHANNELS } from '../message';

/** Counts codes that expired before they could be sent. */
export class MessageMetrics {
  private readonly expired: Counter<'channel'>;

  constructor(registry: Registry) {
    this.expired = new Counter({
      name: 'consumer_service_messages_expired_total',
      help: 'Codes that expired before they could be sent.',
      labelNames: ['channel'],
      registers: [registry],
    });
    for (const channel of CHANNELS) this.expired.inc({ channel }, 0);
  }

  expire(channel: Channel): void {
    this.expired.inc({ channel });
  }
}
