import { Counter, Histogram, type Registry } from 'prom-client';
import { gauge } from '../../../platform/metrics/gauge';

/** In seconds: bcrypt at cost 12 takes a quarter of one, and as much again for each hash that waits before it. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** The state of a pool of hashing threads. */
export interface HashQueue {
  readonly waiting: number;
  readonly running: number;
  readonly limit: number;
}

/** Password hashing: what waits, what runs, how long it takes, what is refused. */
export class HashMetrics {
  private readonly durations: Histogram<'operation'>;
  private readonly refused: Counter;

  constructor(private readonly registry: Registry) {
    this.durations = new Histogram({
      name: 'consumer_service_hash_duration_seconds',
      help: 'How long hashing or comparing a password took, with the wait.',
      labelNames: ['operation'],
      buckets: BUCKETS,
      registers: [registry],
    });
    this.refused = new Counter({
      name: 'consumer_service_hash_refused_total',
      help: 'Hashes refused because the queue was full.',
      registers: [registry],
    });
  }

  watch(queue: HashQueue): void {
    const { registry } = this;
    gauge(registry, 'consumer_service_hash_waiting', 'Hashes that wait for a thread.', () => queue.waiting);
    gauge(registry, 'consumer_service_hash_running', 'Hashes that run.', () => queue.running);
    gauge(registry, 'consumer_service_hash_queue_limit', 'HASH_QUEUE_LIMIT.', () => queue.limit);
  }

  observe(operation: string, durationMs: number): void {
    this.durations.observe({ operation }, durationMs / 1000);
  }

  refuse(): void {
    this.refused.inc();
  }
}
