import { setTimeout as sleep } from 'node:timers/promises';

/** Between the requests of one client, so that a small machine has room for what happens meanwhile. */
const PAUSE_MS = 50;

/** Clients who go on with what they do, again and again, until they are stopped. */
export class Traffic {
  /** How often each client has done it. */
  readonly rounds: number[];
  readonly failures: string[] = [];
  private stopping = false;
  private readonly clients: Promise<void>[];

  constructor(clients: number, round: (client: number) => Promise<void>) {
    this.rounds = Array<number>(clients).fill(0);
    this.clients = this.rounds.map((_, client) => this.run(client, round));
  }

  /** Waits until every client has done it at least `rounds` times more, or one has failed. */
  async flows(rounds: number): Promise<void> {
    const goals = this.rounds.map((done) => done + rounds);
    while (this.failures.length === 0 && goals.some((goal, client) => (this.rounds[client] ?? 0) < goal)) {
      await sleep(PAUSE_MS);
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.clients);
  }

  /** A client ends with its first failure: `failures` stays readable. */
  private async run(client: number, round: (client: number) => Promise<void>): Promise<void> {
    try {
      while (!this.stopping) {
        await round(client);
        this.rounds[client] = (this.rounds[client] ?? 0) + 1;
        await sleep(PAUSE_MS);
      }
    } catch (error) {
      this.failures.push(String(error));
    }
  }
}
