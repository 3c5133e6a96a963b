import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { run } from '../../platform/database/statement';
import type { SendAllowance } from './send-allowance.entity';

/** Every statement on `send_allowance`. */
@Injectable()
export class SendAllowanceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Counts one send at each allowance that has room, in the given order, and answers those. The conditional update
   * decides: parallel sends never exceed an allowance.
   */
  async countSend(
    manager: EntityManager,
    allowances: Omit<SendAllowance, 'used'>[],
    now: Date,
  ): Promise<Pick<SendAllowance, 'key' | 'used'>[]> {
    const keys = allowances.map(({ key }) => key);
    const allowed = allowances.map((allowance) => allowance.allowed);
    const ends = allowances.map(({ endsAt }) => endsAt);
    return run(
      manager,
      sql`INSERT INTO send_allowance AS known (key, used, allowed, ends_at)
        SELECT key, 1, allowed, ends_at
        FROM unnest(${keys}::text[], ${allowed}::integer[], ${ends}::timestamptz[])
          WITH ORDINALITY AS given (key, allowed, ends_at, position)
        ORDER BY position
        ON CONFLICT (key) DO UPDATE SET
          used = CASE WHEN known.ends_at <= ${now} THEN 1 ELSE known.used + 1 END,
          allowed = excluded.allowed,
          ends_at = CASE WHEN known.ends_at <= ${now} THEN excluded.ends_at ELSE known.ends_at END
        WHERE known.used < excluded.allowed OR known.ends_at <= ${now}
        RETURNING key, used`,
    );
  }

  /** Those that have not ended. */
  findUsed(keys: string[], now: Date): Promise<Pick<SendAllowance, 'key' | 'used'>[]> {
    return run(
      this.dataSource,
      sql`SELECT key, used FROM send_allowance WHERE key = ANY(${keys}) AND ends_at > ${now}`,
    );
  }

  async findEnds(manager: EntityManager, keys: string[]): Promise<Pick<SendAllowance, 'key' | 'endsAt'>[]> {
    return run(manager, sql`SELECT key, ends_at AS "endsAt" FROM send_allowance WHERE key = ANY(${keys})`);
  }
}
