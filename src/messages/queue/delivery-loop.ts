import { pause, waitAtMost } from '../../platform/pause';
import type { TakenMessage } from './message.repository';

export interface DeliveryLoopOptions {
  /** Takes up to `count` free messages by turns; `served` are the touchpoints that had theirs. */
  take: (count: number, served: string[]) => Promise<TakenMessage[]>;
  /** Hands one message over and settles it; must not reject. */
  handle: (message: TakenMessage) => Promise<void>;
  /** Called once when messages can no longer be taken. */
  failed: (error: unknown) => void;
  concurrency: number;
  /** How often to check when there was nothing to do, in milliseconds. */
  pollInterval: number;
}

/**
 * Sends the messages of one channel, several at a time, by turns: in a round each touchpoint with waiting messages
 * sends one, so that one's many messages do not delay another's few. Each replica has its own rounds.
 */
export class DeliveryLoop {
  private readonly underWay = new Set<Promise<void>>();
  /** Who has had a turn in this round. */
  private served: string[] = [];
  private fails = false;
  private stopping = false;
  /** Aborted when there may be work before the next check is due. */
  private woken = new AbortController();
  private readonly loop: Promise<void>;

  constructor(private readonly options: DeliveryLoopOptions) {
    this.loop = this.run();
  }

  /** Checks at once, or again after a running check, which may have been too early. */
  wake(): void {
    this.woken.abort();
  }

  /** Takes no more messages, and waits for those being sent, but not forever. */
  async stop(patienceMs: number): Promise<void> {
    this.stopping = true;
    this.wake();
    await waitAtMost(
      patienceMs,
      this.loop.then(() => Promise.all(this.underWay)),
    );
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.woken = new AbortController();
      const free = this.options.concurrency - this.underWay.size;
      const messages = await this.take(free);
      for (const message of messages) this.begin(message);
      if (messages.length < free) await pause(this.options.pollInterval, this.woken.signal);
      // There may be more than could be taken, and room for it: others may have ended during the check.
      else if (this.underWay.size === this.options.concurrency) await Promise.race(this.underWay);
    }
  }

  /** None while the database does not answer. */
  private async take(count: number): Promise<TakenMessage[]> {
    try {
      const messages = await this.options.take(count, this.served);
      this.fails = false;
      const round = Math.max(...messages.map((message) => message.round));
      const served = messages.filter((message) => message.round === round).map(({ touchpoint }) => touchpoint);
      this.served = round === 0 ? [...this.served, ...served] : served;
      return messages;
    } catch (error) {
      if (!this.fails && !this.stopping) this.options.failed(error);
      this.fails = true;
      return [];
    }
  }

  private begin(message: TakenMessage): void {
    const done = this.options.handle(message).finally(() => this.underWay.delete(done));
    this.underWay.add(done);
  }
}
