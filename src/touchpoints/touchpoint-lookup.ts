import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock';
import type { Touchpoint } from './touchpoint.entity';
import { TouchpointRepository } from './touchpoint.repository';

export interface FoundTouchpoint {
  touchpoint: Touchpoint | null;
  /** When the database was asked, in milliseconds of the monotonic clock. */
  readAt: number;
}

interface Batch {
  codes: Set<string>;
  /** Infinite until the database is asked. */
  readAt: number;
  found: Promise<Map<string, Touchpoint>>;
}

/**
 * Reads touchpoints by code, one statement at a time for all callers: strangers who make up codes use only one
 * connection.
 */
@Injectable()
export class TouchpointLookup {
  private running: Batch | undefined;
  private waiting: Batch | undefined;

  constructor(
    private readonly touchpoints: TouchpointRepository,
    private readonly clock: Clock,
  ) {}

  /** A result is at most `maxAge` milliseconds old. If a look-up fails, so do those that wait for it. */
  async find(code: string, maxAge: number): Promise<FoundTouchpoint> {
    const batch = this.joinable(code, maxAge) ?? (this.waiting ??= this.begin());
    batch.codes.add(code);
    const found = await batch.found;
    return { touchpoint: found.get(code) ?? null, readAt: batch.readAt };
  }

  private joinable(code: string, maxAge: number): Batch | undefined {
    const { running } = this;
    return running?.codes.has(code) && this.clock.monotonicMs() - running.readAt < maxAge ? running : undefined;
  }

  private begin(): Batch {
    const batch: Batch = { codes: new Set(), readAt: Infinity, found: Promise.resolve(new Map<string, Touchpoint>()) };
    batch.found = this.read(batch, this.running);
    return batch;
  }

  private async read(batch: Batch, before: Batch | undefined): Promise<Map<string, Touchpoint>> {
    try {
      // Awaited even if there is none, so that other calls of this turn join the batch.
      await before?.found;
    } finally {
      this.waiting = undefined;
    }
    this.running = batch;
    batch.readAt = this.clock.monotonicMs();
    try {
      const touchpoints = await this.touchpoints.findTouchpointsByCodes([...batch.codes]);
      return new Map(touchpoints.map((touchpoint) => [touchpoint.code, touchpoint]));
    } finally {
      this.running = undefined;
    }
  }
}
