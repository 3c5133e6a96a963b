import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { JobMetrics } from './job-metrics';
import { RequestMetrics } from './request-metrics';

const PACKAGE_FILE = join(__dirname, '../../../package.json');

/** What the process counts, for Prometheus; `null` is injected if metrics are off. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests = new RequestMetrics(this.registry);
  readonly jobs = new JobMetrics(this.registry);
  private readonly parts = new Map<unknown, unknown>();

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'consumer_service_' });
    const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };
    new Gauge({
      name: 'consumer_service_build_info',
      help: 'Always 1.',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version, node: process.versions.node }, 1);
  }

  /** The metrics of a feature, made once: the series exist from the first call on. */
  of<Part>(kind: new (registry: Registry) => Part): Part {
    const known = this.parts.get(kind) as Part | undefined;
    if (known) return known;
    const part = new kind(this.registry);
    this.parts.set(kind, part);
    return part;
  }
}
