import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from '../../platform/clock';
import { Metrics } from '../../platform/metrics/metrics';
import { type SubscriberLag, SubscriberRepository } from '../subscribers/subscriber.repository';
import { WebhookRepository } from '../webhooks/webhook.repository';

/** How long a scrape waits for the database, and how long what it said is valid, in milliseconds. */
const PATIENCE_MS = 1_000;
const MAX_AGE_MS = 2_000;

interface SubscriberState extends SubscriberLag {
  /** Whether it has a webhook that failed for too long. */
  isGivenUp: boolean;
}

/** How far behind each subscriber is, and whether its webhook works; the gauges are absent while the database does not answer. */
@Injectable()
export class SubscriberMetrics {
  private reading: Promise<SubscriberState[]> | undefined;
  private readAtMs = -Infinity;

  constructor(
    @Inject(Metrics) metrics: Metrics | null,
    private readonly subscribers: SubscriberRepository,
    private readonly webhooks: WebhookRepository,
    private readonly clock: Clock,
  ) {
    if (metrics === null) return;
    this.bySubscriber(
      metrics,
      'consumer_service_subscriber_lag_events',
      'Events not acknowledged.',
      ({ events }) => events,
    );
    this.bySubscriber(
      metrics,
      'consumer_service_subscriber_lag_seconds',
      'Age of the oldest event not acknowledged, or 0.',
      ({ since }) => (since === null ? 0 : Math.max(0, (clock.epochMs() - since.getTime()) / 1_000)),
    );
    this.bySubscriber(
      metrics,
      'consumer_service_subscriber_webhook_disabled',
      '1 if the webhook is disabled after five days of failures.',
      ({ isGivenUp }) => Number(isGivenUp),
    );
  }

  private bySubscriber({ registry }: Metrics, name: string, help: string, valueOf: (state: SubscriberState) => number) {
    const states = () => this.states();
    new Gauge({
      name,
      help,
      labelNames: ['subscriber'],
      registers: [registry],
      async collect() {
        const rows = await states();
        this.reset();
        for (const row of rows) this.set({ subscriber: row.code }, valueOf(row));
      },
    });
  }

  /** Read once for all gauges of a scrape. */
  private states(): Promise<SubscriberState[]> {
    const now = this.clock.monotonicMs();
    if (this.reading === undefined || now - this.readAtMs >= MAX_AGE_MS) {
      this.readAtMs = now;
      this.reading = this.read().catch(() => []);
    }
    return Promise.race([this.reading, sleep(PATIENCE_MS, [], { ref: false })]);
  }

  private async read(): Promise<SubscriberState[]> {
    const [lags, givenUp] = await Promise.all([this.subscribers.findLags(), this.webhooks.findGivenUp()]);
    return lags.map((lag) => ({ ...lag, isGivenUp: givenUp.has(lag.id) }));
  }
}
