import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DAY_MS } from '../platform/clock';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { ActivityCounter } from './activity/activity-counter';
import { ActivityCount } from './activity/activity.entity';
import { ActivityRepository } from './activity/activity.repository';
import { AuditEventRepository } from './audit-event.repository';
import { AuditRetention } from './audit-retention';
import { AuditService } from './audit.service';
import { AuditTrail } from './audit-trail.service';
import { ConsumerTrail } from './consumer-trail';
import { Refusals } from './refusals.service';

const ACTIVITY_DAYS = 30;

/**
 * Who did what, and which requests were refused and why: an act is recorded in its own transaction, a refusal after its
 * request. What an act means is not here; the features above say what they record. Below stands the platform, above
 * every feature. Owns the tables `audit_event` and `activity`, which has how much was done in each hour.
 */
@Module({
  imports: [TypeOrmModule.forFeature([ActivityCount])],
  providers: [
    AuditEventRepository,
    AuditRetention,
    AuditService,
    AuditTrail,
    ConsumerTrail,
    Refusals,
    ActivityCounter,
    ActivityRepository,
  ],
  exports: [ActivityCounter, AuditService, AuditTrail, ConsumerTrail, Refusals],
})
export class AuditModule {
  constructor(expired: ExpiredRows) {
    expired.register({ table: 'activity', column: 'hour', keepMs: ACTIVITY_DAYS * DAY_MS });
  }
}
