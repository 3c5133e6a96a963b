/** A bounded queue whose senders take turns. */
export class TurnQueue<T> {
  /** What waits, oldest first, by sender; the first sender has the next turn. */
  private readonly waiting = new Map<string, T[]>();

  constructor(readonly limit: number) {}

  get size(): number {
    return [...this.waiting.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  }

  /** Adds a job, and returns the one to drop if there are too many: the newest of the sender with the most. */
  push(sender: string, job: T): T | undefined {
    const own = this.waiting.get(sender) ?? [];
    own.push(job);
    this.waiting.set(sender, own);
    if (this.size <= this.limit) return undefined;
    const [most, jobs] = [...this.waiting].reduce(
      (largest, other) => (other[1].length > largest[1].length ? other : largest),
      [sender, own],
    );
    const removed = jobs.pop();
    if (jobs.length === 0) this.waiting.delete(most);
    return removed;
  }

  /** Takes the oldest job of the sender whose turn it is; its next turn comes after everybody else's. */
  shift(): T | undefined {
    const [turn] = this.waiting;
    if (!turn) return undefined;
    const [sender, jobs] = turn;
    const job = jobs.shift();
    this.waiting.delete(sender);
    if (jobs.length > 0) this.waiting.set(sender, jobs);
    return job;
  }
}
