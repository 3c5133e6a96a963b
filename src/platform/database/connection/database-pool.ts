import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { jittered } from '../../random';
import { DatabaseUnavailable, isDeparted } from './database-errors';
import { LockedStatements } from './locked-statements';
import { Silence } from './silence';

/** How many requests may wait for a connection; more would only be refused later. */
const MAX_WAITING = 500;

/** In milliseconds: after how much silence the service asks on a separate connection, and how long that may take. */
const SUSPICIOUS_SILENCE = 500;
const PROBE_TIMEOUT = 1_000;
const WATCH_INTERVAL = 250;
/** In milliseconds: how often all connections may be replaced while the server stays read-only. */
const REPLACE_INTERVAL = 1_000;
/** In milliseconds, with chance in it: how long nobody knocks at a server that has refused a connection. */
const REFUSED_PAUSE = 200;
/** In milliseconds: who waits longer for an answer is likely to wait for a lock. */
const LONG_WAIT = 500;

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: Error) => void) => void;
type Query = (...values: unknown[]) => unknown;

export interface DatabasePoolConfig extends PoolConfig {
  /** Whether silence of all connections means that the database hangs: the embedded one has a single session. */
  watched?: boolean;
}

/** Connections to a database that may hang: requests are then refused at once, until the database answers again. */
export class DatabasePool extends Pool {
  private readonly silence = new Silence();
  /** Connections with a statement that has not been answered, and since when. */
  private readonly asking = new Map<PoolClient, number>();
  private readonly locked = new LockedStatements();
  private readonly openedAt = new WeakMap<PoolClient, number>();
  /** Connections opened before this time lead to a former primary. */
  private departedAt = -Infinity;
  private refusedUntil = -Infinity;
  private readonly watch: NodeJS.Timeout | undefined;
  private hangs = false;
  private probing = false;

  constructor(private readonly settings: DatabasePoolConfig) {
    super(settings);
    this.on('connect', (client) => {
      // An error that comes while the connection changes hands would find no listener, and end the process.
      client.on('error', () => undefined);
      this.openedAt.set(client, performance.now());
      this.listen(client);
    });
    if (settings.watched) this.watch = setInterval(() => void this.look(), WATCH_INTERVAL).unref();
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => {
          if (client) resolve(client);
          else reject(error ?? new DatabaseUnavailable('There is no connection'));
        });
      });
    }
    const refusal = this.refusal();
    if (refusal) {
      process.nextTick(callback, refusal, undefined, () => undefined);
      return undefined;
    }
    const answered = this.silence.ask();
    super.connect((error, client, release) => {
      answered(!isTimeout(error));
      if (error && !isTimeout(error)) this.refusedUntil = performance.now() + jittered(REFUSED_PAUSE);
      if (!client || !this.isDeparted(client)) {
        callback(error, client, release);
        return;
      }
      release(new DatabaseUnavailable('The connection leads to a former primary'));
      this.connect(callback);
    });
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    clearInterval(this.watch);
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  private refusal(): Error | null {
    if (this.hangs) return new DatabaseUnavailable('The database hangs');
    if (this.idleCount === 0 && performance.now() < this.refusedUntil) {
      return new DatabaseUnavailable('The database refuses connections');
    }
    if (this.waitingCount >= MAX_WAITING) return new DatabaseUnavailable('Too many requests wait for a connection');
    return null;
  }

  /**
   * A connection whose answer did not come in time is never used again: `pg` would give it to the next request with the
   * old transaction still open, so that acknowledged writes would be lost.
   */
  private listen(client: PoolClient): void {
    const query = client.query.bind(client) as Query;
    const listening: Query = (...values) => {
      const text = String(values[0]);
      if (!this.locked.admits(text, this.isHeldUp)) return Promise.reject(new DatabaseUnavailable('A table is locked'));
      const answered = this.silence.ask();
      this.asking.set(client, performance.now());
      const settle = (error?: unknown) => {
        this.asking.delete(client);
        answered(!isTimeout(error));
        this.locked.ended(text, error, this.isHeldUp);
        if (isDeparted(error)) this.depart();
        if (isTimeout(error) || isDeparted(error) || this.isDeparted(client)) abandon(client);
      };
      const result = query(...values);
      if (result instanceof Promise)
        result.then(() => {
          settle();
        }, settle);
      else settle();
      return result;
    };
    client.query = listening as typeof client.query;
  }

  /** After a failover: otherwise each connection would be found out by a request of its own, minutes later. */
  private depart(): void {
    const now = performance.now();
    if (now - this.departedAt >= REPLACE_INTERVAL) this.departedAt = now;
  }

  private isDeparted(client: PoolClient): boolean {
    return (this.openedAt.get(client) ?? Infinity) < this.departedAt;
  }

  /** Whether half of the connections have waited for an answer for long. */
  private get isHeldUp(): boolean {
    const longAgo = performance.now() - LONG_WAIT;
    return [...this.asking.values()].filter((askedAt) => askedAt < longAgo).length >= this.options.max / 2;
  }

  private async look(): Promise<void> {
    if (this.probing || !(this.hangs || this.silence.ms >= SUSPICIOUS_SILENCE)) return;
    this.probing = true;
    const answers = await this.probe();
    this.probing = false;
    if (answers || this.hangs) this.hangs = !answers;
    else if (this.silence.ms >= SUSPICIOUS_SILENCE) {
      this.hangs = true;
      for (const client of this.asking.keys()) abandon(client);
    }
  }

  /** Whether the database answers at all, on a separate connection; a refusal is an answer too. */
  private async probe(): Promise<boolean> {
    const client = new Client({
      ...this.settings,
      connectionTimeoutMillis: PROBE_TIMEOUT,
      query_timeout: PROBE_TIMEOUT,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch (error) {
      return !isTimeout(error);
    } finally {
      abandon(client);
    }
  }
}

/** Errors of `pg` itself have only a message; an error with a code is an answer, such as for a cancelled statement. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && !('code' in error) && /timeout/i.test(error.message);

const abandon = (client: Client | PoolClient): void => {
  void client.end().catch(() => undefined);
};
