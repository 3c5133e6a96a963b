import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock, DAY_MS } from '../platform/clock';
import { AppConfig } from '../platform/settings/config';
import { endOfMonthsAhead, MonthlyPartitions } from '../platform/database/monthly-partitions';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { CLEARING_SECONDS, ScheduledJobs } from '../platform/jobs/scheduled-jobs';

/** Deletes the trail by whole months: a month goes when its last day is older than `AUDIT_RETENTION_DAYS`. */
@Injectable()
export class AuditRetention implements OnModuleInit {
  private readonly months: MonthlyPartitions;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly jobs: ScheduledJobs,
    private readonly expired: ExpiredRows,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {
    const constraint = (partition: string) => `CONSTRAINT ${partition}_pkey PRIMARY KEY (id)`;
    this.months = new MonthlyPartitions(dataSource, { name: 'audit_event', column: 'occurred_at', constraint });
  }

  onModuleInit(): void {
    this.jobs.schedule('audit-trail', CLEARING_SECONDS, () => this.tidy());
  }

  /** Makes the months to come, and drops those that are old enough. */
  async tidy(): Promise<void> {
    const now = this.clock.now();
    await this.dataSource.transaction((manager) => this.months.make(manager, now, endOfMonthsAhead(now)));
    const keepMs = this.config.auditRetentionDays * DAY_MS;
    const before = new Date(now.getTime() - keepMs);
    for (const partition of await this.months.find()) {
      if (partition.to && partition.to <= before) await this.months.drop(partition);
      // A partition without a first day has the events of many months.
      else if (!partition.from) await this.expired.deleteFrom({ table: partition.name, column: 'occurred_at', keepMs });
    }
  }
}
