/** How many guesses at an identifier from one address run at once; a right one clears the count for the next. */
const RUNNING = 5;
/** How many more may wait, and how long in milliseconds. */
const WAITING = 50;
export const MAX_WAIT = 5_000;

interface Place {
  running: number;
  waiting: Set<() => void>;
}

/** Lets many guesses of one consumer through a few at a time, in this process, instead of refusing all but ten. */
export class GuessTurns {
  private readonly places = new Map<string, Place>();

  /** False if too many wait already, or no turn came in time. Otherwise the caller must call `end` once. */
  async begin(name: string): Promise<boolean> {
    const place = this.places.get(name) ?? { running: 0, waiting: new Set() };
    this.places.set(name, place);
    if (place.running < RUNNING) {
      place.running += 1;
      return true;
    }
    return place.waiting.size < WAITING && turnIn(place);
  }

  end(name: string): void {
    const place = this.places.get(name);
    if (!place) return;
    const [next] = place.waiting;
    if (next) next();
    else if ((place.running -= 1) === 0) this.places.delete(name);
  }
}

/** A guess that ends passes its turn on, so `running` does not change. */
const turnIn = ({ waiting }: Place): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (hasTurn: boolean) => () => {
      clearTimeout(timer);
      waiting.delete(begin);
      resolve(hasTurn);
    };
    const begin = settle(true);
    const timer = setTimeout(settle(false), MAX_WAIT).unref();
    waiting.add(begin);
  });
