import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { run } from '../../platform/database/statement';

/** At most this many sends since a time; the last one before `cooledDown`, if that is given. */
export interface SendCeiling {
  sends: number;
  since: Date;
  cooledDown: Date | null;
}

/** Every statement on `send_limit`. */
@Injectable()
export class SendLimitRepository {
  /**
   * Counts one send at each key that has room, and answers those. The conditional update decides: parallel sends never
   * exceed the limit.
   */
  async countSends(
    manager: EntityManager,
    keys: Buffer[],
    now: Date,
    { sends, since, cooledDown }: SendCeiling,
  ): Promise<{ key: Buffer; sentAt: Date[] }[]> {
    return run(
      manager,
      sql`INSERT INTO send_limit AS known (key, sent_at, last_sent_at)
        SELECT key, ARRAY[${now}::timestamptz], ${now}::timestamptz
        FROM unnest(${keys}::bytea[]) AS given (key) ORDER BY key
        ON CONFLICT (key) DO UPDATE SET
          sent_at = (known.sent_at || ${now}::timestamptz)[greatest(1, cardinality(known.sent_at) + 2 - ${sends}::int):],
          last_sent_at = ${now}
        WHERE (cardinality(known.sent_at) < ${sends} OR known.sent_at[1] <= ${since})
          AND (${cooledDown}::timestamptz IS NULL OR known.last_sent_at <= ${cooledDown})
        RETURNING key, sent_at AS "sentAt"`,
    );
  }

  /** The times of the sends that count at the key, oldest first. */
  async findSends(manager: EntityManager, key: Buffer): Promise<Date[]> {
    const [known] = await run<{ sentAt: Date[] }>(
      manager,
      sql`SELECT sent_at AS "sentAt" FROM send_limit WHERE key = ${key}`,
    );
    return known?.sentAt ?? [];
  }

  /** In the order in which sends lock the keys. */
  async deleteKeys(manager: EntityManager, keys: Buffer[]): Promise<void> {
    await run(
      manager,
      sql`DELETE FROM send_limit
        WHERE key IN (SELECT key FROM send_limit WHERE key = ANY(${keys}) ORDER BY key FOR UPDATE)`,
    );
  }
}
