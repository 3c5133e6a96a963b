import type { EntityManager } from 'typeorm';

/** The language that the consumer has chosen, for what is written to the consumer. */
export async function localeOf(manager: EntityManager, consumerId: string): Promise<string | null> {
  const [row] = await manager.query<{ locale: string | null }[]>('SELECT locale FROM consumer WHERE id = $1', [
    consumerId,
  ]);
  return row?.locale ?? null;
}
