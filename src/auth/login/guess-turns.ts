/** From one place only so many guesses at an identifier run at once, so that right ones clear the count for the next. */
const RUNNING = 5;
/** So many more wait for them, and this long; milliseconds. */
const WAITING = 50;
export const MAX_WAIT = 5_000;

interface Place {
  running: number;
  waiting: Set<() => void>;
}

/** Lets a crowd of guesses of one consumer through a few at a time, instead of refusing all but ten. In this process. */
export class GuessTurns {
  private readonly places = new Map<string, Place>();

  /** False when too many wait already, or none of them made room in time. Else `end` is to be called, once. */
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

/** Whoever ends hands its turn on, so that `running` stays. */
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
