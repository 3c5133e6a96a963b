import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditModule } from '../audit/audit.module';
import { Clock } from '../platform/clock';
import { AppConfig } from '../platform/settings/config';
import { LOGGER } from '../platform/logger';
import { MailboxExpiry } from './mailbox/mailbox-expiry';
import { MessagesModule } from './messages.module';
import { MessageQueueMetrics } from './metrics/message-queue-metrics';
import { WaitingMessages } from './metrics/waiting-messages';
import { MessageDeliveries } from './queue/message-deliveries';
import { MessageDelivery } from './queue/message-delivery';
import { RetryPolicy } from './queue/retry-policy';
import { createTransports } from './transports/create-transports';
import { MESSAGE_TRANSPORTS } from './transports/message-transport';

/**
 * Hands queued messages over by SMTP, by the SMS gateway or into the development mailbox, and retries what was not
 * taken. Only the service loads it: a command adds messages and lists them, and sends none. The queue is in
 * `MessagesModule`, below; only the app stands above. Owns no table.
 */
@Module({
  imports: [AuditModule, MessagesModule],
  providers: [
    RetryPolicy,
    {
      provide: MESSAGE_TRANSPORTS,
      inject: [AppConfig, Clock, LOGGER],
      useFactory: (config: AppConfig, clock: Clock, logger: Logger) => createTransports(config, clock, logger),
    },
    MessageDelivery,
    MessageDeliveries,
    MailboxExpiry,
    WaitingMessages,
    MessageQueueMetrics,
  ],
})
export class MessageDeliveryModule {}
