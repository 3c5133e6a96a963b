import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Lifecycle } from '../../platform/lifecycle';
import { LOGGER } from '../../platform/logger';
import { CHANNELS } from '../message';
import { MESSAGE_TRANSPORTS, type MessageTransports } from '../transports/message-transport';
import { Arrivals } from './arrivals';
import { DeliveryLoop } from './delivery-loop';
import { MessageDelivery } from './message-delivery';
import { MessageRepository } from './message.repository';

/** As many as the SMTP transport has connections, so that no message waits in it. */
const CONCURRENCY = 5;

/** How often to check for messages that are due again or come from other replicas, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** Each channel has its own loop, so that problems with one do not delay the other. */
@Injectable()
export class MessageDeliveries implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private loops: DeliveryLoop[] = [];

  constructor(
    private readonly messages: MessageRepository,
    private readonly arrivals: Arrivals,
    private readonly delivery: MessageDelivery,
    @Inject(MESSAGE_TRANSPORTS) private readonly transports: MessageTransports,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = CHANNELS.map((channel) => {
      const loop = new DeliveryLoop({
        take: (count, served) => this.messages.take(channel, count, served),
        handle: (message) => this.delivery.handle(message),
        failed: (err) => {
          this.logger.error({ err, channel }, 'No messages could be taken from the queue');
        },
        concurrency: CONCURRENCY,
        pollInterval: POLL_INTERVAL,
      });
      this.arrivals.listen(channel, () => {
        loop.wake();
      });
      return loop;
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    const patience = this.lifecycle.remainingForWork();
    await Promise.all(this.loops.map((loop) => loop.stop(patience)));
  }

  onApplicationShutdown(): void {
    for (const channel of CHANNELS) this.transports[channel].close?.();
  }
}
