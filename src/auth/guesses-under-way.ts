/** A guess that is under way at some keys. */
export interface GuessUnderWay {
  keys: Buffer[];
  /** The guesses there, each of which tells at its end whether others have room again; without this one once it has ended. */
  others: () => Promise<boolean>[];
  /** Ends the guess; ending it again does nothing. */
  end: (makesRoom: boolean) => void;
}

/** The guesses at passwords that are under way in this process, by the keys at which they are counted. */
export class GuessesUnderWay {
  private readonly running = new Map<string, Set<Promise<boolean>>>();

  begin(keys: Buffer[]): GuessUnderWay {
    const names = keys.map((key) => key.toString('hex'));
    const before = this.at(names);
    let finish: (makesRoom: boolean) => void = () => undefined;
    const guess = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    for (const name of names) this.running.set(name, (this.running.get(name) ?? new Set()).add(guess));
    return {
      keys,
      others: () => [...before, ...this.at(names)],
      end: (makesRoom) => {
        finish(makesRoom);
        for (const name of names) this.remove(name, guess);
      },
    };
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
