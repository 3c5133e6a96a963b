import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Metrics } from '../metrics/metrics';
import type { ProcessRole } from '../process-role';
import { poolDatabase, transactionDatabase } from './boss-database';
import { FairFetch, type Job } from './fair-fetch';
import { JobWorker, pause } from './job-worker';
import { Settlement } from './settlement';
import { makeTurnsIndex } from './turns-index';

const DAY_SECONDS = 86_400;
const MAINTENANCE_INTERVAL_SECONDS = 30;
/** How often it is looked for what is due again and for what other replicas leave, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** A job can be taken only at a later time than it was added; the embedded database tells time in whole milliseconds. */
const WAKE_DELAY = 2;

/** How often it is looked whether a scheduled job is due, in milliseconds. */
const SCHEDULE_TICK = 30_000;

/** Any constant: whoever creates queues in this database holds this advisory lock. */
const QUEUE_LOCK = 7_215_031_967;

/** What is said of a job when it is added. */
export interface JobOptions extends Pick<PgBoss.SendOptions, 'id' | 'priority' | 'retryLimit' | 'expireInSeconds'> {
  /** For whom it is done: the parties of a queue take turns. */
  party?: string | undefined;
}

export interface JobsOptions {
  dataSource: DataSource;
  logger: Logger;
  /** Only a service does jobs; a command can add and read them. */
  role: ProcessRole;
  /** How long jobs under way may hold up the end of the process, in milliseconds. */
  stopPatienceMs: number;
  /** Null: nothing is counted. */
  metrics?: Metrics | null;
}

/** Queues of jobs in the same PostgreSQL, shared by all replicas (pg-boss). */
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** How a job that was taken ends. */
  readonly settle: Settlement;
  private readonly boss: PgBoss;
  private readonly queues: string[] = [];
  private readonly workers = new Map<string, { wake: () => void }>();
  /** The queues to which a transaction has added jobs. */
  private readonly added = new WeakMap<QueryRunner, Set<string>>();
  private readonly begin: (() => Promise<void>)[] = [];
  private readonly end: (() => Promise<void>)[] = [];
  private stopping = false;

  constructor(private readonly options: JobsOptions) {
    this.settle = new Settlement(options.dataSource);
    this.boss = new PgBoss({
      db: poolDatabase(options.dataSource),
      schedule: false,
      maintenanceIntervalSeconds: MAINTENANCE_INTERVAL_SECONDS,
      archiveCompletedAfterSeconds: 2 * DAY_SECONDS,
      archiveFailedAfterSeconds: 30 * DAY_SECONDS,
      deleteAfterSeconds: DAY_SECONDS,
    });
    this.boss.on('error', (err) => {
      if (!this.stopping) options.logger.error({ err }, 'The job queue failed');
    });
    options.dataSource.subscribers.push({
      afterTransactionCommit: ({ queryRunner }) => {
        if (queryRunner.isTransactionActive) return;
        const queues = this.added.get(queryRunner);
        if (!queues) return;
        this.added.delete(queryRunner);
        setTimeout(() => {
          for (const queue of queues) this.workers.get(queue)?.wake();
        }, WAKE_DELAY);
      },
    });
  }

  /** Adds a job that exists only if the transaction is committed; a worker here then looks for it at once. */
  async add(manager: EntityManager, queue: string, data: object, options: JobOptions): Promise<void> {
    const { party = '', ...rest } = options;
    const id = await this.boss.send(queue, data, { ...rest, singletonKey: party, db: transactionDatabase(manager) });
    if (id === null) throw new Error(`There is no queue ${queue}: no service has started on this database yet`);
    const { queryRunner } = manager;
    if (queryRunner) this.added.set(queryRunner, (this.added.get(queryRunner) ?? new Set()).add(queue));
  }

  /** From the start of the service on, `handle` does the jobs of `queue`; it settles them and does not reject. */
  work<T extends object>(
    queue: string,
    concurrency: number,
    handle: (job: Job<T>) => Promise<void>,
    pollInterval = POLL_INTERVAL,
  ): void {
    this.queues.push(queue);
    this.begin.push(() => {
      const worker = new JobWorker({ fetch: this.fetchOf<T>(queue), handle, concurrency, pollInterval });
      this.workers.set(queue, worker);
      this.end.push(() => worker.stop(this.options.stopPatienceMs));
      return Promise.resolve();
    });
  }

  /** Takes none while the database does not answer, and says so once. */
  private fetchOf<T extends object>(queue: string): (count: number) => Promise<Job<T>[]> {
    const jobs = new FairFetch<T>(this.options.dataSource, queue);
    let fails = false;
    return async (count) => {
      try {
        const taken = await jobs.take(count);
        fails = false;
        return taken;
      } catch (err) {
        if (!fails && !this.stopping) this.options.logger.error({ err, queue }, 'No jobs could be taken from a queue');
        fails = true;
        return [];
      }
    };
  }

  /**
   * From the start of the service on, one of the replicas runs `handle` once in every `everySeconds` (at most a day),
   * and at the next start when all of them were away.
   */
  schedule(name: string, everySeconds: number, handle: () => Promise<void>): void {
    this.options.metrics?.jobs.expect(name);
    this.begin.push(async () => {
      // The queue keeps one job for each period, whoever adds it.
      const addIfDue = () => this.boss.send(name, {}, { singletonSeconds: everySeconds, retryLimit: 0 });
      await addIfDue();
      const timer = setInterval(() => {
        addIfDue().catch((err: unknown) => {
          this.options.logger.error({ err, job: name }, 'A scheduled job could not be added');
        });
      }, SCHEDULE_TICK);
      this.end.push(() => {
        clearInterval(timer);
        return Promise.resolve();
      });
    });
    const run = async (job: Job) => {
      try {
        await handle();
        await this.settle.complete(job);
      } catch (err) {
        this.options.logger.error({ err, job: name }, 'A scheduled job failed');
        this.options.metrics?.jobs.fail(name);
        await this.settle.fail(job, 'failed').catch(() => undefined);
      }
    };
    // After the first job has been added, which would else wait for the second look.
    this.work(name, 1, run, SCHEDULE_TICK);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.options.role !== 'service') return;
    await this.boss.start();
    await this.createQueues();
    for (const begin of this.begin) await begin();
    this.prepareTurns();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.end.map((end) => end()));
    await this.boss.stop({ graceful: false });
  }

  /** Beside the service, which takes jobs without the index too, only slower. */
  private prepareTurns(): void {
    const { dataSource, logger, stopPatienceMs } = this.options;
    const stop = new AbortController();
    const prepared = makeTurnsIndex(dataSource, stop.signal).catch((err: unknown) => {
      if (!this.stopping) logger.error({ err }, 'The index by which jobs are taken could not be made');
    });
    this.end.push(async () => {
      stop.abort();
      const patience = new AbortController();
      await Promise.race([prepared, pause(stopPatienceMs, patience.signal)]);
      patience.abort();
    });
  }

  /** Under a lock: replicas that create a queue at the same time end in a deadlock. */
  private createQueues(): Promise<void> {
    return this.options.dataSource.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [QUEUE_LOCK]);
      for (const queue of this.queues) {
        await manager.query('SELECT pgboss.create_queue($1, $2)', [queue, { policy: 'standard' }]);
      }
    });
  }
}
