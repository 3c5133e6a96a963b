import { Clock } from '../../../src/platform/clock';

/** The real time, which can be moved on. */
export class MovableClock extends Clock {
  private offsetMs = 0;

  override epochMs(): number {
    return super.epochMs() + this.offsetMs;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.offsetMs;
  }

  advance({ seconds }: { seconds: number }): void {
    this.offsetMs += seconds * 1000;
  }
}
