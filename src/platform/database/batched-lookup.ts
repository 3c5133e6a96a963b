import type { Clock } from '../clock';

export interface Found<Row> {
  row: Row | null;
  /** When the database was asked, in milliseconds of the monotonic clock. */
  readAt: number;
}

interface Batch<Row> {
  codes: Set<string>;
  /** Infinite until the database is asked. */
  readAt: number;
  found: Promise<Map<string, Row>>;
}

/** Reads rows by code, one statement at a time for all callers: strangers who make up codes use only one connection. */
export class BatchedLookup<Row extends { code: string }> {
  private running: Batch<Row> | undefined;
  private waiting: Batch<Row> | undefined;

  constructor(
    private readonly findByCodes: (codes: string[]) => Promise<Row[]>,
    private readonly clock: Clock,
  ) {}

  /** A result is at most `maxAge` milliseconds old. If a look-up fails, so do those that wait for it. */
  async find(code: string, maxAge: number): Promise<Found<Row>> {
    const batch = this.joinable(code, maxAge) ?? (this.waiting ??= this.begin());
    batch.codes.add(code);
    const found = await batch.found;
    return { row: found.get(code) ?? null, readAt: batch.readAt };
  }

  private joinable(code: string, maxAge: number): Batch<Row> | undefined {
    const { running } = this;
    return running?.codes.has(code) && this.clock.monotonicMs() - running.readAt < maxAge ? running : undefined;
  }

  private begin(): Batch<Row> {
    const batch: Batch<Row> = { codes: new Set(), readAt: Infinity, found: Promise.resolve(new Map<string, Row>()) };
    batch.found = this.read(batch, this.running);
    return batch;
  }

  private async read(batch: Batch<Row>, before: Batch<Row> | undefined): Promise<Map<string, Row>> {
    try {
      // Awaited even if there is none, so that other calls of this turn join the batch.
      await before?.found;
    } finally {
      this.waiting = undefined;
    }
    this.running = batch;
    batch.readAt = this.clock.monotonicMs();
    try {
      const rows = await this.findByCodes([...batch.codes]);
      return new Map(rows.map((row) => [row.code, row]));
    } finally {
      this.running = undefined;
    }
  }
}
