import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';

const TRIES = 5;
const PAUSE_MS = 2_000;

/** A job as far as it must be known to be settled. */
export interface SettledJob {
  id: string;
  name: string;
}

/**
 * Ends or defers a job that was taken. What is not settled, pg-boss hands out again once its time is over, so a
 * database that is away for a moment is tried again: otherwise what was done would be done twice.
 */
export class Settlement {
  constructor(private readonly dataSource: DataSource) {}

  /** Done; the row stays for a while. */
  complete(job: SettledJob): Promise<void> {
    return this.run("UPDATE pgboss.job SET state = 'completed', completed_on = now()", job);
  }

  /** Done; nothing stays. */
  remove(job: SettledJob): Promise<void> {
    return this.run('DELETE FROM pgboss.job', job);
  }

  /** To be done again after half of `seconds` to all of it: those that failed together do not come back together. */
  retry(job: SettledJob, seconds: number, reason: string): Promise<void> {
    return this.run(
      `UPDATE pgboss.job SET state = 'retry', output = jsonb_build_object('reason', $3::text),
         start_after = now() + $4::float8 * (0.5 + random() / 2) * interval '1 second'`,
      job,
      [reason, seconds],
    );
  }

  /** Given up; the row stays for people to look at. */
  fail(job: SettledJob, reason: string): Promise<void> {
    return this.run(
      `UPDATE pgboss.job SET state = 'failed', output = jsonb_build_object('reason', $3::text), completed_on = now()`,
      job,
      [reason],
    );
  }

  /** Not to be done any more; the row stays for a while. Joins a transaction, and answers whether the job was still ours. */
  async cancel(manager: EntityManager, { name, id }: SettledJob): Promise<boolean> {
    const [, count] = await manager.query<[unknown[], number]>(
      `UPDATE pgboss.job SET state = 'cancelled', completed_on = now()
       WHERE name = $1 AND id = $2 AND state = 'active'`,
      [name, id],
    );
    return count === 1;
  }

  private async run(change: string, { name, id }: SettledJob, values: unknown[] = []): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.dataSource.query(`${change} WHERE name = $1 AND id = $2 AND state = 'active'`, [
          name,
          id,
          ...values,
        ]);
        return;
      } catch (error) {
        if (tries >= TRIES) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }
}
