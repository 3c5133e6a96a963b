import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module';
import { EventsModule } from '../events.module';
import { WebhookDeliveries } from './webhook-deliveries';

/**
 * Pushes events to the webhooks of subscribers. Only the service loads it: a command and the console set webhooks, and
 * push nothing. The log and the subscribers are in `EventsModule`, below; only the app stands above. Owns no table.
 */
@Module({ imports: [AuditModule, EventsModule], providers: [WebhookDeliveries] })
export class WebhookDeliveryModule {}
