import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock';
import { IdempotencyRecordRepository, LEASE } from './idempotency-record.repository';

const RETRY_MS = 1_000;
/** More failed requests than these are not remembered: their leases end by themselves. */
const MOST_WAITING = 10_000;

/** Frees the keys of requests that failed, also when the database is away: then soon after it is back. */
@Injectable()
export class LeaseRelease {
  /** When each lease ends by itself, in milliseconds of the monotonic clock. */
  private readonly waiting = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly records: IdempotencyRecordRepository,
    private readonly clock: Clock,
  ) {}

  /** Does not reject: a database that is away must not hide why the request failed. */
  async free(lease: string): Promise<void> {
    const isFreed = await this.records.freeLeases([lease]).then(
      (freed) => freed.length > 0,
      () => false,
    );
    if (!isFreed) this.freeSoon(lease);
  }

  /** Frees it within seconds, also if its row becomes visible only later, because the commit waits for a standby. */
  freeSoon(lease: string): void {
    if (this.waiting.size < MOST_WAITING) this.waiting.set(lease, this.clock.monotonicMs() + LEASE);
    this.schedule();
  }

  private schedule(): void {
    if (this.waiting.size > 0) this.timer ??= setTimeout(() => void this.freeWaiting(), RETRY_MS).unref();
  }

  private async freeWaiting(): Promise<void> {
    const now = this.clock.monotonicMs();
    for (const [lease, endsAt] of this.waiting) if (endsAt <= now) this.waiting.delete(lease);
    const freed = await this.records.freeLeases([...this.waiting.keys()]).catch(() => []);
    for (const lease of freed) this.waiting.delete(lease);
    this.timer = undefined;
    this.schedule();
  }
}
