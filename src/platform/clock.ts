export const DAY_MS = 86_400_000;

/** The service's only source of time. */
export class Clock {
  now(): Date {
    return new Date(this.epochMs());
  }

  /** Milliseconds since the epoch. */
  epochMs(): number {
    return Date.now();
  }

  /** Milliseconds that only ever grow, for ages and durations within this process. */
  monotonicMs(): number {
    return performance.now();
  }
}
