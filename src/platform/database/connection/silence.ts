/** Measures how long the other side has answered nothing. */
export class Silence {
  private unanswered = 0;
  private since = 0;

  /**
   * Call this when a question is asked, and the returned function when it has ended; `heard` says if there was an
   * answer.
   */
  ask(): (heard: boolean) => void {
    if (this.unanswered === 0) this.since = performance.now();
    this.unanswered += 1;
    return (heard) => {
      this.unanswered -= 1;
      if (heard) this.since = performance.now();
    };
  }

  /** In milliseconds; 0 when no answer is due. */
  get ms(): number {
    return this.unanswered === 0 ? 0 : performance.now() - this.since;
  }
}
