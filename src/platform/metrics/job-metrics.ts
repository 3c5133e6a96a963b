import { Counter, type Registry } from 'prom-client';

/** Counts failed scheduled jobs. The label is not `job`, which Prometheus uses for the scrape. */
export class JobMetrics {
  private readonly failures: Counter<'task'>;

  constructor(registry: Registry) {
    this.failures = new Counter({
      name: 'consumer_service_scheduled_job_failures_total',
      help: 'Failed runs of scheduled jobs.',
      labelNames: ['task'],
      registers: [registry],
    });
  }

  /** So that a first failure is an increase. */
  expect(task: string): void {
    this.failures.inc({ task }, 0);
  }

  fail(task: string): void {
    this.failures.inc({ task });
  }
}
