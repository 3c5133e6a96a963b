import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../platform/database/statement';

export interface CountedHour {
  hour: Date;
  /** Empty for the whole service. */
  touchpoint: string;
  kind: string;
  count: number;
}

/** Every statement on `activity`. */
@Injectable()
export class ActivityRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** In one order, so that replicas that add at the same time do not wait for each other in a circle. */
  async add(counts: CountedHour[]): Promise<void> {
    await run(
      this.dataSource,
      sql`INSERT INTO activity AS known (hour, touchpoint, kind, count)
        SELECT * FROM unnest(
          ${counts.map(({ hour }) => hour)}::timestamptz[],
          ${counts.map(({ touchpoint }) => touchpoint)}::text[],
          ${counts.map(({ kind }) => kind)}::text[],
          ${counts.map(({ count }) => count)}::bigint[]
        ) AS added (hour, touchpoint, kind, count) ORDER BY hour, touchpoint, kind
        ON CONFLICT (hour, touchpoint, kind) DO UPDATE SET count = known.count + excluded.count`,
    );
  }

  /** Of the whole service, or of one touchpoint. */
  findSince(since: Date, touchpoint = ''): Promise<CountedHour[]> {
    return run<CountedHour>(
      this.dataSource,
      sql`SELECT hour, touchpoint, kind, count::float8 AS count FROM activity
        WHERE hour >= ${since} AND touchpoint = ${touchpoint} ORDER BY hour, kind`,
    );
  }
}
