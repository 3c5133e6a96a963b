import { setTimeout as sleep } from 'node:timers/promises';

/** How many guesses at the same keys wait for others, and for how long each. */
const WAITING_LIMIT = 50;
export const WAITING_LIMIT_SECONDS = 5;

/** A guess that is under way at some keys. */
export interface GuessUnderWay {
  /** Ends the guess and tells those that wait for it whether they have room again; ending it again does nothing. */
  end: (makesRoom: boolean) => void;
  /** What became of the others there, once they have ended: this one has, too. */
  others: (patience: Patience) => Promise<OthersOutcome>;
}

export type OthersOutcome = 'made room' | 'made no room' | 'take too long';

/** How long one guess waits in all, from its first wait on. */
export class Patience {
  private timer: Promise<unknown> | null = null;

  get exhausted(): Promise<unknown> {
    return (this.timer ??= sleep(WAITING_LIMIT_SECONDS * 1_000, null, { ref: false }));
  }
}

/** The guesses at passwords that are under way in this process, by the keys at which they are counted. */
export class GuessesUnderWay {
  private readonly running = new Map<string, Set<Promise<boolean>>>();
  private readonly waiting = new Map<string, number>();

  begin(keys: Buffer[]): GuessUnderWay {
    const names = keys.map((key) => key.toString('hex'));
    const before = this.at(names);
    let finish: (makesRoom: boolean) => void = () => undefined;
    const guess = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    for (const name of names) this.running.set(name, (this.running.get(name) ?? new Set()).add(guess));
    return {
      end: (makesRoom) => {
        finish(makesRoom);
        for (const name of names) this.remove(name, guess);
      },
      others: (patience) => this.outcome(names.join(), [...before, ...this.at(names)], patience),
    };
  }

  private async outcome(place: string, others: Promise<boolean>[], patience: Patience): Promise<OthersOutcome> {
    if (others.length === 0) return 'made no room';
    const waiting = this.waiting.get(place) ?? 0;
    if (waiting >= WAITING_LIMIT) return 'take too long';
    this.waiting.set(place, waiting + 1);
    try {
      const made = await Promise.race([Promise.all(others), patience.exhausted.then(() => null)]);
      if (made === null) return 'take too long';
      return made.includes(true) ? 'made room' : 'made no room';
    } finally {
      this.leave(place);
    }
  }

  private leave(place: string): void {
    const others = (this.waiting.get(place) ?? 1) - 1;
    if (others === 0) this.waiting.delete(place);
    else this.waiting.set(place, others);
  }

  private at(names: string[]): Promise<boolean>[] {
    return names.flatMap((name) => [...(this.running.get(name) ?? [])]);
  }

  private remove(name: string, guess: Promise<boolean>): void {
    const others = this.running.get(name);
    others?.delete(guess);
    if (others?.size === 0) this.running.delete(name);
  }
}
