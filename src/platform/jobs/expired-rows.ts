import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { change } from '../database/statement';
import { LOGGER } from '../logger';
import { CLEARING_SECONDS, ScheduledJobs } from './scheduled-jobs';

/** Small enough that no statement holds its locks for long; the next run deletes what is left. */
const BATCH_ROWS = 1_000;
const BATCHES_A_RUN = 100;

/** Rows that expire `keepMs` milliseconds after the time in one of their columns. */
export interface ExpiringRows {
  table: string;
  column: string;
  keepMs?: number;
}

/** Deletes rows that have expired, on a schedule and in bounded batches; the index on the column makes each one cheap. */
@Injectable()
export class ExpiredRows implements OnModuleInit {
  private readonly all: ExpiringRows[] = [];

  constructor(
    private readonly jobs: ScheduledJobs,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Modules register at their start which of their rows expire. */
  register(...rows: ExpiringRows[]): void {
    this.all.push(...rows);
  }

  onModuleInit(): void {
    this.jobs.schedule('expired-rows', CLEARING_SECONDS, () => this.deleteAll());
  }

  /** If one table fails, the others are still cleared; the run counts as failed. */
  async deleteAll(): Promise<void> {
    const failed: string[] = [];
    for (const rows of this.all) {
      try {
        await this.deleteFrom(rows);
      } catch (err) {
        this.logger.error({ err, table: rows.table }, 'Expired rows could not be deleted');
        failed.push(rows.table);
      }
    }
    if (failed.length > 0) throw new Error(`Expired rows stay in ${failed.join(', ')}`);
  }

  /** As many as one run may. */
  async deleteFrom(rows: ExpiringRows): Promise<void> {
    for (let batch = 0; batch < BATCHES_A_RUN; batch += 1) {
      if ((await this.deleteBatch(rows)) < BATCH_ROWS) return;
    }
  }

  private async deleteBatch({ table, column, keepMs = 0 }: ExpiringRows): Promise<number> {
    const before = new Date(this.clock.epochMs() - keepMs);
    const [from, expiresAt] = [raw(table), raw(column)];
    const expired = sql`SELECT ctid FROM ${from} WHERE ${expiresAt} <= ${before}
      ORDER BY ${expiresAt} LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED`;
    const { count } = await change(this.dataSource, sql`DELETE FROM ${from} WHERE ctid = ANY(ARRAY(${expired}))`);
    return count;
  }
}
