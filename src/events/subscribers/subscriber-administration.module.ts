import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../audit/audit.module';
import { TouchpointAdministrationModule } from '../../touchpoints/administration/touchpoint-administration.module';
import { EventPartitions } from '../log/event-partitions';
import { EventReader } from '../log/event-reader';
import { EventRepository } from '../log/event.repository';
import { Sequencer } from '../log/sequencer';
import { Webhook } from '../webhooks/webhook.entity';
import { SubscriberKey } from './subscriber-key.entity';
import { Subscriber } from './subscriber.entity';
import { SubscriberRepository } from './subscriber.repository';
import { SubscribersService } from './subscribers.service';

/**
 * How administrators change subscribers, which is all that most commands load. What subscribers read is in
 * `EventsModule`, above; below stand `audit` and the touchpoints. The tables are those of `EventsModule`.
 */
@Module({
  imports: [
    AuditModule,
    TouchpointAdministrationModule,
    TypeOrmModule.forFeature([Subscriber, SubscriberKey, Webhook]),
  ],
  providers: [EventPartitions, EventReader, EventRepository, Sequencer, SubscriberRepository, SubscribersService],
  exports: [
    EventPartitions,
    EventReader,
    EventRepository,
    Sequencer,
    SubscriberRepository,
    SubscribersService,
    TypeOrmModule,
  ],
})
export class SubscriberAdministrationModule {}
