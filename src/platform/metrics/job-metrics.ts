import { Counter, type Registry } from 'prom-client';

/** What the service does by itself on a schedule. */
export class JobMetrics {
  private readonly failures: Counter<'job'>;

  constructor(registry: Registry) {
    this.failures = new Counter({
      name: 'consumer_service_scheduled_job_failures_total',
      help: 'Runs of scheduled jobs that failed, by job.',
      labelNames: ['job'],
      registers: [registry],
    });
  }

  /** So that a first failure is an increase. */
  expect(job: string): void {
    this.failures.inc({ job }, 0);
  }

  fail(job: string): void {
    this.failures.inc({ job });
  }
}
