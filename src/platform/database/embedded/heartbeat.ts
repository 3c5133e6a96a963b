const BEAT_MS = 5_000;
const MISSED_BEATS_ALLOWED = 6;

/**
 * Pings until `stop`, and reports once if nothing answers for about 30 seconds; `pong` is called with every answer. It
 * counts pings instead of time, so that a pause of this thread is not mistaken for one of the other.
 */
export class Heartbeat {
  private missed = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(ping: () => void, onSilence: () => void) {
    this.timer = setInterval(() => {
      if (this.missed >= MISSED_BEATS_ALLOWED) {
        this.stop();
        onSilence();
        return;
      }
      this.missed += 1;
      ping();
    }, BEAT_MS).unref();
  }

  pong(): void {
    this.missed = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
