import type { Provider } from '@nestjs/common';
import type { AppConfig } from '../settings/config';
import type { ProcessRole } from '../process-role';
import { DependencyMetrics } from './dependency-metrics';
import { Metrics } from './metrics';
import { MetricsServer } from './metrics-server';

const measured: Provider[] = [{ provide: Metrics, useFactory: () => new Metrics() }, DependencyMetrics, MetricsServer];

/** Without `METRICS_PORT`, and in a command, nothing is counted. */
export const metricsProviders = (role: ProcessRole, { metricsPort }: AppConfig): Provider[] =>
  role !== 'cli' && metricsPort !== undefined ? measured : [{ provide: Metrics, useValue: null }];
