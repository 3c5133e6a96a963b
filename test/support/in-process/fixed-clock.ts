import { Clock } from '../../../src/platform/clock';

/** A clock that moves only when told to. */
export class FixedClock extends Clock {
  constructor(private ms = Date.parse('2026-06-01T12:00:00Z')) {
    super();
  }

  override epochMs(): number {
    return this.ms;
  }

  override monotonicMs(): number {
    return this.ms;
  }

  advance({ seconds = 0, minutes = 0 }: { seconds?: number; minutes?: number }): void {
    this.ms += (seconds + minutes * 60) * 1000;
  }
}
