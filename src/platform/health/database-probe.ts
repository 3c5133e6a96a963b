import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../clock';

/** How long an answer is remembered, in milliseconds, counted from the question. */
const MAX_AGE = 1_000;

/** Fails with SQLSTATE 25006 on a read-only server, such as a former primary; touches no row. */
const WRITABLE = 'SELECT FROM migration WHERE false FOR SHARE';

/**
 * Asks whether the database takes writes: one question at a time for all callers, so that strangers use only one connection.
 */
@Injectable()
export class DatabaseProbe {
  private latest: { askedAt: number; isOver: boolean; answer: Promise<unknown> } | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Rejects with the cause. */
  async ask(): Promise<void> {
    const now = this.clock.monotonicMs();
    const isGood = this.latest && (!this.latest.isOver || now - this.latest.askedAt < MAX_AGE);
    if (!isGood) {
      const probe = { askedAt: now, isOver: false, answer: this.dataSource.query(WRITABLE) };
      this.latest = probe;
      probe.answer = probe.answer.finally(() => (probe.isOver = true));
    }
    await this.latest?.answer;
  }
}
