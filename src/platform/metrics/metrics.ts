import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { HashMetrics } from './hash-metrics';
import { JobMetrics } from './job-metrics';
import { MessageMetrics } from './message-metrics';
import { RequestMetrics } from './request-metrics';
import { SendMetrics } from './send-metrics';

const PACKAGE_FILE = join(__dirname, '../../../package.json');

/** What the process counts, for Prometheus; there is none of it, but `null`, where metrics are off. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests = new RequestMetrics(this.registry);
  readonly hashing = new HashMetrics(this.registry);
  readonly jobs = new JobMetrics(this.registry);
  readonly messages = new MessageMetrics(this.registry);
  readonly sends = new SendMetrics(this.registry);

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'consumer_service_' });
    const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };
    new Gauge({
      name: 'consumer_service_build_info',
      help: 'Always 1; which version runs, and on which Node.js.',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version, node: process.versions.node }, 1);
  }
}
