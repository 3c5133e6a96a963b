import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../database/statement';

/** Every statement on `scheduled_job`. */
@Injectable()
export class ScheduledJobRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * True for the one replica that runs the job now; the times are the database's, which all replicas share. A begin in the
   * future means that its clock was set back. `clock_timestamp()`, because a statement that has waited for the row must
   * compare with the time at which it gets it.
   */
  async begin(name: string, everySeconds: number): Promise<boolean> {
    const beginning = sql`
      INSERT INTO scheduled_job AS job (name, begun_at) VALUES (${name}, clock_timestamp())
      ON CONFLICT (name) DO UPDATE SET begun_at = clock_timestamp()
        WHERE job.begun_at <= clock_timestamp() - ${everySeconds}::float8 * interval '1 second'
          OR job.begun_at > clock_timestamp()
      RETURNING name`;
    return (await run(this.dataSource, beginning)).length === 1;
  }
}
