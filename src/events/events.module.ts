import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { RateLimitStorage } from '../touchpoints/rate-limit/rate-limit.storage';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { FeedController } from './feed/feed.controller';
import { FeedService } from './feed/feed.service';
import { EventLog } from './log/event-log';
import { EventRetention } from './log/event-retention';
import { PendingEventRepository } from './log/pending-event.repository';
import { SubscriberMetrics } from './metrics/subscriber-metrics';
import { SubscriberAdministrationModule } from './subscribers/subscriber-administration.module';
import { SubscriberCredentials } from './subscribers/subscriber-credentials';
import { SubscriberGuard } from './subscribers/subscriber.guard';
import { WebhookAdministration } from './webhooks/webhook-administration';
import { WebhookSender } from './webhooks/webhook-sender';
import { WebhookRepository } from './webhooks/webhook.repository';

/**
 * What other systems of the business learn of consumers: the log of events, which acts write in their own transactions,
 * and the subscribers who read it. The features above know why something happens. Below stand `audit` and the
 * touchpoints. Owns the tables `event_pending`, `event`, `event_head`, `consumer_version`, `subscriber`,
 * `subscriber_key` and `webhook`.
 */
@Module({
  imports: [AuditModule, TouchpointsModule, SubscriberAdministrationModule],
  controllers: [FeedController],
  providers: [
    EventLog,
    EventRetention,
    FeedService,
    PendingEventRepository,
    RateLimitStorage,
    SubscriberCredentials,
    SubscriberGuard,
    SubscriberMetrics,
    WebhookAdministration,
    WebhookRepository,
    WebhookSender,
  ],
  exports: [
    SubscriberAdministrationModule,
    EventLog,
    WebhookAdministration,
    WebhookRepository,
    WebhookSender,
    RateLimitStorage,
    SubscriberCredentials,
    SubscriberGuard,
  ],
})
export class EventsModule {
  constructor(expired: ExpiredRows) {
    expired.register({ table: 'subscriber_key', column: 'expires_at' });
  }
}
