import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, type Repository } from 'typeorm';
import { Clock } from '../platform/clock';
import { Touchpoint } from './touchpoint.entity';

/** What is loaded with a touchpoint: all that its requests need. */
export const TOUCHPOINT_RELATIONS = { keys: true, identityProviders: true };

export interface FoundTouchpoint {
  touchpoint: Touchpoint | null;
  /** When the database was asked, in milliseconds of the monotonic clock. */
  readAt: number;
}

interface Batch {
  codes: Set<string>;
  found: Promise<(code: string) => FoundTouchpoint>;
}

/** Reads touchpoints by code, one statement at a time for all who ask: whatever codes strangers make up, they hold one connection. */
@Injectable()
export class TouchpointLookup {
  private waiting: Batch | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    @InjectRepository(Touchpoint) private readonly touchpoints: Repository<Touchpoint>,
    private readonly clock: Clock,
  ) {}

  /** Reads after the call, never before it. */
  async find(code: string): Promise<FoundTouchpoint> {
    const batch = (this.waiting ??= this.begin());
    batch.codes.add(code);
    const found = await batch.found;
    return found(code);
  }

  private begin(): Batch {
    const codes = new Set<string>();
    const found = this.running.then(() => {
      this.waiting = undefined;
      return this.read([...codes]);
    });
    this.running = found.catch(() => undefined);
    return { codes, found };
  }

  private async read(codes: string[]): Promise<(code: string) => FoundTouchpoint> {
    const readAt = this.clock.monotonicMs();
    // `findOne` would ask twice for a touchpoint that exists: the time of a refusal would tell which ones do.
    const touchpoints = await this.touchpoints.find({ where: { code: Any(codes) }, relations: TOUCHPOINT_RELATIONS });
    const byCode = new Map(touchpoints.map((touchpoint) => [touchpoint.code, touchpoint]));
    return (code) => ({ touchpoint: byCode.get(code) ?? null, readAt });
  }
}
