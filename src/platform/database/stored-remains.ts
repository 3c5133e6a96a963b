import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { PoolClient } from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral, QueryRunner } from 'typeorm';

/** A table of this size is rewritten in about three seconds; requests wait meanwhile, for at most six. */
const LARGEST_REWRITTEN_BYTES = 128 * 1024 * 1024;

/** How long one step may take, in milliseconds, including the requests that the embedded database serves first. */
const PATIENCE = 60_000;

const ANALYZED = `
  SELECT DISTINCT format('%I.%I', schemaname, tablename) AS name
  FROM pg_stats WHERE schemaname = current_schema() AND tablename = ANY($1)`;
const ALL_TABLES = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_total_relation_size(c.oid) > $1 AS "isLarge"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence <> 't'
    AND (n.nspname NOT IN ('pg_catalog', 'information_schema') OR c.relname = 'pg_statistic')
  ORDER BY name`;

/** What could not be removed. */
export interface RemainsReport {
  /** Tables of the embedded database that are too large: deleted rows stay in their files until they are overwritten. */
  tablesNotRewritten: string[];
}

/**
 * Removes what deleted rows leave behind: values in the planner's statistics and, on the embedded database, bytes in
 * its files. The files of a PostgreSQL server are its operator's concern.
 */
@Injectable()
export class StoredRemains {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** `entities`: those whose columns hold what must no longer be readable. */
  async remove(entities: EntityTarget<ObjectLiteral>[]): Promise<RemainsReport> {
    // One connection for all of it: who holds one and waits for another can wait for others that do the same.
    const runner = this.dataSource.createQueryRunner();
    try {
      const tables = entities.map((entity) => this.dataSource.getMetadata(entity).tableName);
      await this.renewStatistics(tables, runner);
      return (await this.isEmbedded(runner)) ? await this.rewriteFiles(runner) : { tablesNotRewritten: [] };
    } finally {
      await runner.release();
    }
  }

  private async renewStatistics(tables: string[], runner: QueryRunner): Promise<void> {
    const analyzed = await runner.manager.query<{ name: string }[]>(ANALYZED, [tables]);
    const names = analyzed.map(({ name }) => name).join(', ');
    if (names !== '')
      await runPatiently(
        runner,
        `SET LOCAL statement_timeout = ${PATIENCE}; SET LOCAL lock_timeout = ${PATIENCE}; ANALYZE ${names}`,
      );
  }

  private async isEmbedded(runner: QueryRunner): Promise<boolean> {
    const [{ embedded }] = await runner.manager.query<[{ embedded: string | null }]>(
      `SELECT current_setting('consumer_service.embedded', true) AS embedded`,
    );
    return embedded === 'on';
  }

  /** Table by table, so that requests can run in between; then a new log is begun and the old one deleted. */
  private async rewriteFiles(runner: QueryRunner): Promise<RemainsReport> {
    const tables = await runner.manager.query<{ name: string; isLarge: boolean }[]>(ALL_TABLES, [
      LARGEST_REWRITTEN_BYTES,
    ]);
    for (const { name } of tables.filter(({ isLarge }) => !isLarge))
      await runPatiently(runner, `VACUUM (FULL) ${name}`);
    await runPatiently(runner, 'SELECT pg_switch_wal()');
    await runPatiently(runner, 'CHECKPOINT');
    return { tablesNotRewritten: tables.filter(({ isLarge }) => isLarge).map(({ name }) => name) };
  }
}

/** TypeORM passes no deadline of a single query on. */
async function runPatiently(runner: QueryRunner, text: string): Promise<void> {
  const client = (await runner.connect()) as PoolClient;
  await client.query({ text, query_timeout: PATIENCE } as { text: string });
}
