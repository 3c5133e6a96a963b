import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';

/** Every statement on `scheduled_job`. */
@Injectable()
export class ScheduledJobRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** True for the one replica that runs the job now; the times are the database's, which all replicas share. */
  async begin(name: string, everySeconds: number): Promise<boolean> {
    const { text, values } = sql`
      INSERT INTO scheduled_job AS job (name, begun_at) VALUES (${name}, now())
      ON CONFLICT (name) DO UPDATE SET begun_at = now(), outcome = NULL
        WHERE job.begun_at <= now() - ${everySeconds}::float8 * interval '1 second'
      RETURNING name`;
    return (await this.dataSource.query<unknown[]>(text, values)).length === 1;
  }

  async finish(name: string, outcome: 'done' | 'failed'): Promise<void> {
    const { text, values } = sql`UPDATE scheduled_job SET outcome = ${outcome} WHERE name = ${name}`;
    await this.dataSource.query(text, values);
  }
}
