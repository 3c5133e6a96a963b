import type { DataSource } from 'typeorm';

/** One piece of work that was taken from a queue, with what the queue knows of it. */
export interface Job<T extends object = object> {
  id: string;
  /** The queue. */
  name: string;
  data: T;
  /** For whom it is done; empty: for nobody in particular. */
  party: string;
  retryCount: number;
  startedOn: Date;
  createdOn: Date;
}

interface TakenJob<T extends object> extends Job<T> {
  /** 0: the party's turn of this round, 1: its turn of the next one, and so on. */
  round: number;
}

/** In the column of pg-boss that these queues leave free: it means something only in queues of other policies. */
const PARTY = `COALESCE(job.singleton_key, '')`;
const WAITING = `job.name = $1 AND job.state < 'active'`;

/** More than other replicas may be taking at the same moment: what they have locked is passed over. */
const SPARE_ROWS = 20;

/**
 * Takes up to $2 jobs by turns; $3 are those who have had theirs. For each party that waits it reads a few entries of the
 * index (`turns-index.ts`), however long the queue is. What is taken is locked in its order, and once: hence `LATERAL` and `MATERIALIZED`.
 */
const TAKE = `
  WITH RECURSIVE lane AS (
    (SELECT ${PARTY} AS party, job.priority FROM pgboss.job WHERE ${WAITING} ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT further.party, further.priority FROM lane, LATERAL (
      SELECT ${PARTY} AS party, job.priority FROM pgboss.job
      WHERE ${WAITING} AND (${PARTY}, job.priority) > (lane.party, lane.priority) ORDER BY 1, 2 LIMIT 1
    ) further
  ), due AS (
    SELECT lane.party, lane.priority, first.id, first.start_after FROM lane, LATERAL (
      SELECT job.id, job.start_after FROM pgboss.job
      WHERE ${WAITING} AND ${PARTY} = lane.party AND job.priority = lane.priority AND job.start_after < now()
      ORDER BY job.start_after LIMIT $2::int + ${SPARE_ROWS} / (SELECT count(*) FROM lane)
    ) first
  ), ranked AS (
    SELECT due.*, (party = ANY($3::text[]))::int - 1
      + row_number() OVER (PARTITION BY party ORDER BY priority DESC, start_after, id) AS round
    FROM due
  ), taken AS MATERIALIZED (
    SELECT free.id, turn.party, turn.round
    FROM (SELECT * FROM ranked ORDER BY round, priority DESC, start_after, id LIMIT $2::int + ${SPARE_ROWS}) turn,
      LATERAL (SELECT job.id FROM pgboss.job WHERE ${WAITING} AND job.id = turn.id FOR UPDATE SKIP LOCKED) free
    LIMIT $2
  )
  UPDATE pgboss.job SET state = 'active', started_on = now(),
    retry_count = CASE WHEN job.started_on IS NULL THEN job.retry_count ELSE job.retry_count + 1 END
  FROM taken WHERE job.name = $1 AND job.id = taken.id
  RETURNING job.id, job.name, job.data, taken.party, taken.round::int, job.retry_count AS "retryCount",
    job.started_on AS "startedOn", job.created_on AS "createdOn"`;

/**
 * Takes the jobs of one queue by turns: in a round each party that waits has one, so that nobody's many jobs hold up
 * another's few. Within a round, and within a party, a higher priority goes first, then what has been due for longest.
 * Each replica counts rounds of its own; a job is taken once, whoever takes it.
 */
export class FairFetch<T extends object> {
  /** Who has had a turn in this round. */
  private served: string[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: string,
  ) {}

  async take(count: number): Promise<Job<T>[]> {
    const [jobs] = await this.dataSource.query<[TakenJob<T>[], number]>(TAKE, [this.queue, count, this.served]);
    const round = Math.max(...jobs.map((job) => job.round));
    const served = jobs.filter((job) => job.round === round).map(({ party }) => party);
    this.served = round === 0 ? [...this.served, ...served] : served;
    return jobs;
  }
}
