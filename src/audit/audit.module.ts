import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '../platform/config';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { AuditEvent } from './audit-event.entity';
import { AuditEventRepository } from './audit-event.repository';
import { AuditService } from './audit.service';
import { AuditTrail } from './audit-trail.service';
import { ConsumerTrail } from './consumer-trail';
import { Refusals } from './refusals.service';

const DAY = 24 * 3_600_000;

/**
 * Who did what, and which requests were refused and why: an act is recorded in its own transaction, a refusal behind its
 * request. What an act means is not here; the features above say what they record. Below stands the platform, above
 * every feature. Owns the table `audit_event`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([AuditEvent])],
  providers: [AuditEventRepository, AuditService, AuditTrail, ConsumerTrail, Refusals],
  exports: [AuditService, AuditTrail, ConsumerTrail, Refusals],
})
export class AuditModule {
  constructor(expired: ExpiredRows, { auditRetentionDays }: AppConfig) {
    expired.register({ table: 'audit_event', column: 'occurred_at', keepMs: auditRetentionDays * DAY });
  }
}
