import type { Provider } from '@nestjs/common';
import type { AppConfig } from '../app-config';
import type { ProcessRole } from '../process-role';
import { DependencyMetrics } from './dependency-metrics';
import { MessageQueueMetrics } from './message-queue-metrics';
import { Metrics } from './metrics';
import { MetricsServer } from './metrics-server';
import { WaitingMessages } from './waiting-messages';

const measured: Provider[] = [
  { provide: Metrics, useFactory: () => new Metrics() },
  DependencyMetrics,
  WaitingMessages,
  MessageQueueMetrics,
  MetricsServer,
];

/** Without `METRICS_PORT`, and in a command, nothing is counted. */
export const metricsProviders = (role: ProcessRole, { metricsPort }: AppConfig): Provider[] =>
  role === 'service' && metricsPort !== undefined ? measured : [{ provide: Metrics, useValue: null }];
