import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { JWK } from 'jose';
import sql, { empty } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../platform/database/statement';
import { TOUCHPOINT } from '../touchpoints/touchpoint.repository';
import type { SandboxMessage } from './sandbox.dto';

const MESSAGES_ANSWERED = 100;

export type KeptMessage = Omit<SandboxMessage, 'createdAt'> & { touchpoint: string };

/** The advisory lock held while the tables are made; any constant would do. */
const ADVISORY_LOCK = 7_215_031_967;

/** No migrations, because other deployments must not have them: by these tables a database is known as a sandbox's. */
const TABLES = [
  sql`CREATE TABLE IF NOT EXISTS sandbox_clock (
    touchpoint_id uuid PRIMARY KEY REFERENCES touchpoint (id) ON DELETE CASCADE,
    ahead_ms bigint NOT NULL)`,
  sql`CREATE TABLE IF NOT EXISTS sandbox_message (
    id uuid PRIMARY KEY,
    touchpoint text NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    kind text NOT NULL,
    locale text,
    text text NOT NULL,
    code text,
    created_at timestamptz NOT NULL DEFAULT now(),
    ahead_ms bigint NOT NULL DEFAULT 0)`,
  // For the tables of former versions.
  sql`ALTER TABLE sandbox_message ADD COLUMN IF NOT EXISTS ahead_ms bigint NOT NULL DEFAULT 0`,
  sql`CREATE TABLE IF NOT EXISTS sandbox_key (id boolean PRIMARY KEY DEFAULT true CHECK (id), private_key jsonb NOT NULL)`,
];

/** Whether a sandbox has ever run on this database. */
export async function isSandboxDatabase(dataSource: DataSource): Promise<boolean> {
  const [row] = await run<{ isSandbox: boolean }>(
    dataSource,
    sql`SELECT to_regclass('sandbox_key') IS NOT NULL AS "isSandbox"`,
  );
  return row?.isSandbox ?? false;
}

/** Every statement on the tables of the sandbox. */
@Injectable()
export class SandboxRepository implements OnModuleInit {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** In one process after another: `IF NOT EXISTS` does not wait for who is making the same table. */
  async onModuleInit(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await run(manager, sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
      for (const table of TABLES) await run(manager, table);
    });
  }

  async findAheadMs(touchpointId: string): Promise<number> {
    const [row] = await run<{ aheadMs: number }>(
      this.dataSource,
      sql`SELECT ahead_ms::float8 AS "aheadMs" FROM sandbox_clock WHERE touchpoint_id = ${touchpointId}`,
    );
    return row?.aheadMs ?? 0;
  }

  /** How far it is ahead now; null if that would be more than `mostMs`. */
  async advance(touchpointId: string, byMs: number, mostMs: number): Promise<number | null> {
    const [row] = await run<{ aheadMs: number }>(
      this.dataSource,
      sql`INSERT INTO sandbox_clock AS known (touchpoint_id, ahead_ms) VALUES (${touchpointId}, ${byMs})
        ON CONFLICT (touchpoint_id) DO UPDATE SET ahead_ms = known.ahead_ms + excluded.ahead_ms
        WHERE known.ahead_ms + excluded.ahead_ms <= ${mostMs}
        RETURNING ahead_ms::float8 AS "aheadMs"`,
    );
    return row?.aheadMs ?? null;
  }

  /**
   * With the time of the touchpoint, which is not known from a request here. Another attempt at the same message changes
   * nothing; what is older than a day goes.
   */
  async keepMessage({ id, touchpoint, channel, to, kind, locale, text, code }: KeptMessage): Promise<void> {
    await run(
      this.dataSource,
      sql`WITH forgotten AS (DELETE FROM sandbox_message WHERE created_at < now() - interval '1 day')
        INSERT INTO sandbox_message (id, touchpoint, channel, recipient, kind, locale, text, code, ahead_ms)
        VALUES (${id}, ${touchpoint}, ${channel}, ${to}, ${kind}, ${locale}, ${text}, ${code}, COALESCE((
          SELECT c.ahead_ms FROM sandbox_clock c JOIN ${TOUCHPOINT} ON t.id = c.touchpoint_id
          WHERE t.code = ${touchpoint}), 0))
        ON CONFLICT DO NOTHING`,
    );
  }

  /** Of the last day, the newest first. */
  findMessages(touchpoint: string, to?: string): Promise<SandboxMessage[]> {
    return run<SandboxMessage>(
      this.dataSource,
      sql`SELECT id, channel, recipient AS "to", kind, locale, text, code,
          created_at + ahead_ms * interval '1 millisecond' AS "createdAt"
        FROM sandbox_message
        WHERE touchpoint = ${touchpoint} AND created_at > now() - interval '1 day'
          ${to === undefined ? empty : sql`AND recipient = ${to}`}
        ORDER BY created_at DESC, id DESC LIMIT ${MESSAGES_ANSWERED}`,
    );
  }

  async deleteMessages(touchpoint: string): Promise<void> {
    await run(this.dataSource, sql`DELETE FROM sandbox_message WHERE touchpoint = ${touchpoint}`);
  }

  /** The key that signs assertions, in every process: this one, unless there is another already. */
  async keepKey(privateKey: JWK): Promise<JWK> {
    await run(
      this.dataSource,
      sql`INSERT INTO sandbox_key (private_key) VALUES (${JSON.stringify(privateKey)}::jsonb) ON CONFLICT DO NOTHING`,
    );
    const [row] = await run<{ key: JWK }>(this.dataSource, sql`SELECT private_key AS key FROM sandbox_key`);
    if (!row) throw new Error('The sandbox has no key');
    return row.key;
  }
}
