import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Answer, ApiClient } from '../api/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../api/consumers';

const LONGEST_PAUSE_MS = 250;
const PAUSE_AFTER_FAILURE_MS = 50;
const CHANGES_A_CONSUMER = 4;

/** Each set of these fields is changed once at most of one consumer, so that the names alone tell which change it was. */
const CHANGES: Record<string, (round: number) => unknown> = {
  firstName: () => `Ada${randomInt(1e9)}`,
  lastName: () => `Lovelace${randomInt(1e9)}`,
  birthDate: () => `1815-12-${randomInt(10, 31)}`,
  // Never the same as before, which would be no change.
  locale: (round) => `en-${100 + round}`,
  attributes: () => ({ changed: randomInt(1e9) }),
};

/** Acts that were acknowledged, each by its type, the consumer and what else tells it apart. */
export class EventWriters {
  readonly acknowledged: string[] = [];
  sent = 0;
  refused = 0;
  unanswered = 0;
  /** Answers that no fault excuses. */
  readonly unexpected: string[] = [];
  private stopping = false;
  private readonly writers: Promise<void>[];

  /** `client` is asked before every request: services come and go. */
  constructor(
    count: number,
    private readonly client: () => ApiClient,
  ) {
    this.writers = Array.from({ length: count }, () => this.run());
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.writers);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      await this.pause();
      const person = newPerson();
      const session = await this.ask<SessionBody>([201], (client) => client.post('/api/v1/register', person));
      if (!session) continue;
      this.acknowledged.push(`consumer.registered ${session.customerId}`);
      await this.use(session, person.email);
    }
  }

  private async use({ customerId, token }: SessionBody, email: string): Promise<void> {
    const names = Object.keys(CHANGES);
    for (let round = 0; round < CHANGES_A_CONSUMER && !this.stopping; round += 1) {
      await this.pause();
      const fields = names.filter((_, index) => ((round * 7 + 3) >> index) & 1);
      const patch = Object.fromEntries(fields.map((field) => [field, CHANGES[field]?.(round)]));
      // Two at once for one consumer, of which one is refused and rolled back.
      const [changed] = await Promise.all([
        this.ask([200], (client) => client.as(token).patch('/api/v1/me', patch)),
        this.ask([412], (client) => client.as(token).patch('/api/v1/me', { locale: 'de' }, { 'If-Match': '"none"' })),
        this.ask([409], (client) => client.post('/api/v1/register', newPerson({ email }))),
      ]);
      if (changed) this.acknowledged.push(`consumer.updated ${customerId} ${fields.join()}`);
    }
    const credentials = { identifier: email, password: PASSWORD };
    const login = await this.ask<SessionBody>([200], (client) => client.post('/api/v1/login', credentials));
    if (!login) return;
    const sessionId = sessionIdOf(login.token);
    this.acknowledged.push(`session.started ${sessionId}`);
    if (await this.ask([204], (client) => client.as(login.token).post('/api/v1/logout')))
      this.acknowledged.push(`session.ended ${sessionId}`);
  }

  /** The body of an answer with one of these statuses, else null. */
  private async ask<T>(expected: number[], send: (client: ApiClient) => Promise<Answer<T>>): Promise<T | null> {
    this.sent += 1;
    try {
      const { status, body } = await send(this.client());
      if (expected.includes(status)) return body;
      if (status === 503) this.refused += 1;
      else this.unexpected.push(`${status} ${JSON.stringify(body)}`);
    } catch (error) {
      if ((error as Error).name === 'TypeError') this.unanswered += 1;
      else this.unexpected.push(String(error));
    }
    await sleep(PAUSE_AFTER_FAILURE_MS);
    return null;
  }

  private pause(): Promise<void> {
    return sleep(randomInt(LONGEST_PAUSE_MS));
  }
}

const sessionIdOf = (token: string): string => {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(claims) as { sid: string }).sid;
};

/** Transactions that stay open for a while, and often roll back: they write an event and a row that proves it. */
export class SlowTransactions {
  readonly acknowledged: string[] = [];
  private stopping = false;
  private readonly writers: Promise<void>[];

  constructor(
    count: number,
    private readonly databaseUrl: string,
  ) {
    this.writers = Array.from({ length: count }, (_, index) => this.run(consumers[index % consumers.length] ?? ''));
  }

  static async prepare(databaseUrl: string): Promise<void> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('CREATE TABLE probe (id uuid PRIMARY KEY, consumer_id uuid)');
    await client.end();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.writers);
  }

  private async run(consumerId: string): Promise<void> {
    while (!this.stopping) {
      const client = new Client({ connectionString: this.databaseUrl });
      client.on('error', () => undefined);
      try {
        await client.connect();
        for (;;) {
          await this.write(client, consumerId);
          if (this.isOver) break;
        }
      } catch {
        await sleep(PAUSE_AFTER_FAILURE_MS);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  private get isOver(): boolean {
    return this.stopping;
  }

  private async write(client: Client, consumerId: string): Promise<void> {
    const id = randomUUID();
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO event_pending (type, occurred_at, consumer_id, data)
       VALUES ('consumer.updated', now(), $1, jsonb_build_object('changed', ARRAY[$2::text]))`,
      [consumerId, id],
    );
    await client.query('INSERT INTO probe VALUES ($1, $2)', [id, consumerId]);
    await sleep(randomInt(LONGEST_PAUSE_MS));
    if (randomInt(3) === 0) {
      await client.query('ROLLBACK');
      return;
    }
    await client.query('COMMIT');
    this.acknowledged.push(`consumer.updated ${consumerId} ${id}`);
  }
}

const consumers = Array.from({ length: 5 }, () => randomUUID());
