import { Counter, type Registry } from 'prom-client';

/** What may bound how many messages are sent. */
const BOUNDS = ['destination', 'notices'] as const;
export type SendBound = (typeof BOUNDS)[number];

/** Messages that were not sent because too many had been. */
export class SendMetrics {
  private readonly refused: Counter<'bound'>;

  constructor(registry: Registry) {
    this.refused = new Counter({
      name: 'consumer_service_sends_refused_total',
      help: 'Messages that were not sent because a bound was reached, by the bound.',
      labelNames: ['bound'],
      registers: [registry],
    });
    for (const bound of BOUNDS) this.refused.inc({ bound }, 0);
  }

  refuse(bound: SendBound): void {
    this.refused.inc({ bound });
  }
}
