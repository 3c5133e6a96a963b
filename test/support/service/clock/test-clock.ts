import type { RunningProcess } from '../running-process';

/** The clock of a service that a test may stop and move. */
export class TestClock {
  private ms: number | undefined;

  constructor(private readonly process: RunningProcess) {}

  /** Milliseconds since the epoch; of a clock that goes on by itself there are none. */
  get stoppedAtMs(): number | undefined {
    return this.ms;
  }

  epochMs(): number {
    if (this.ms === undefined) throw new Error('The clock has not been stopped');
    return this.ms;
  }

  now(): Date {
    return new Date(this.epochMs());
  }

  /** Where another has stopped, if one is named. */
  async stop(other?: TestClock): Promise<void> {
    this.ms = await this.process.changeClock({ stop: true });
    if (other?.ms !== undefined) this.ms = await this.process.changeClock({ advanceMs: other.ms - this.ms });
  }

  async advance({ seconds = 0, minutes = 0 }: { seconds?: number; minutes?: number }): Promise<void> {
    this.ms = await this.process.changeClock({ advanceMs: (seconds + minutes * 60) * 1000 });
  }
}
