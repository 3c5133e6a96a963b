import type { DataSource, Logger } from 'typeorm';

/** What the service writes while `act` runs: the tables, in order, and the ends of transactions. */
export async function writesOf(dataSource: DataSource, act: () => Promise<unknown>): Promise<string[]> {
  const writes: string[] = [];
  const ignore = () => undefined;
  const { logger } = dataSource;
  const recorder: Logger = {
    ...{ logQueryError: ignore, logQuerySlow: ignore, logSchemaBuild: ignore, logMigration: ignore, log: ignore },
    logQuery: (text) => {
      const [, table] = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?([a-z_.]+)/.exec(text) ?? [];
      if (table !== undefined || /^(COMMIT|ROLLBACK)/.test(text)) writes.push(table ?? text);
    },
  };
  dataSource.logger = recorder;
  await act();
  dataSource.logger = logger;
  return writes;
}
