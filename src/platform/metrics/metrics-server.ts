import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { AppConfig } from '../settings/config';
import { LOGGER } from '../logger';
import { Metrics } from './metrics';

/** Answers `/metrics` on a separate port, which partners do not reach, until the last request has ended. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((err: unknown) => {
      this.logger.error({ err }, 'The metrics could not be read');
      response.writeHead(500).end();
    });
  });

  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, metricsPort } = this.config;
    await once(this.server.listen(metricsPort, host), 'listening');
    this.server.on('error', (err) => {
      this.logger.error({ err }, 'The metrics cannot be reached');
    });
    this.logger.info({ host, port: this.port }, 'The metrics can be read');
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async answer({ url, method }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    } else {
      const { registry } = this.metrics;
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(text);
    }
  }
}
