import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ApiClient } from '../api/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../api/consumers';

/** Between two requests of one client. */
const PAUSE_MS = 5;
const PAUSE_AFTER_FAILURE_MS = 25;

/** So long nobody may listen: in milliseconds. */
const PATIENCE_MS = 60_000;

/** A consumer whose registration was acknowledged, and what else was. */
export interface Account {
  email: string;
  customerId: string;
  token: string;
  /** The first name that was acknowledged, and those that may have come after it. */
  firstNames: string[];
  /** Null: nobody knows. */
  loggedOut: boolean | null;
}

/** A registration of which nobody knows whether it came about. */
export interface OpenRegistration {
  person: ReturnType<typeof newPerson>;
  key: string;
}

/** Clients who register, read, change, log in and log out, and keep account of every answer. */
export class FaultLoad {
  readonly accounts: Account[] = [];
  readonly open: OpenRegistration[] = [];
  /** Answers that no fault excuses: anything but success and 503 with `Retry-After`. */
  readonly unexpected: string[] = [];
  sent = 0;
  acknowledged = 0;
  refused = 0;
  unanswered = 0;
  slowestRefusalMs = 0;
  private stopping = false;
  private unreachedMs = 0;
  private readonly clients: Promise<void>[];

  /** `client` is asked before every request: the service may have moved. */
  constructor(
    clients: number,
    private readonly client: () => ApiClient,
  ) {
    this.clients = Array.from({ length: clients }, () => this.run());
  }

  /** Waits until so many more requests have been acknowledged, or something unexpected has come. */
  async flows(requests: number): Promise<void> {
    const goal = this.acknowledged + requests;
    while (this.acknowledged < goal && !this.isOver) await sleep(PAUSE_MS);
  }

  /** Waits until so many more requests have been refused, or something unexpected has come. */
  async isRefused(requests: number): Promise<void> {
    const goal = this.refused + requests;
    while (this.refused < goal && !this.isOver) await sleep(PAUSE_MS);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.clients);
  }

  /** A service that is gone for good must not be waited for. */
  private get isOver(): boolean {
    return this.stopping || this.unexpected.length > 0 || this.unreachedMs > PATIENCE_MS;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const account = await this.register();
      if (account) await this.use(account);
      await sleep(account ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS);
    }
  }

  private async register(): Promise<Account | null> {
    const person = newPerson();
    const key = person.email;
    const answer = await this.ask(201, (client) =>
      client.with({ 'Idempotency-Key': key }).post<SessionBody>('/api/v1/register', person),
    );
    if (!answer) {
      this.open.push({ person, key });
      return null;
    }
    const { customerId, token } = answer.body;
    const account = { email: person.email, customerId, token, firstNames: [person.firstName], loggedOut: false };
    this.accounts.push(account);
    return account;
  }

  private async use(account: Account): Promise<void> {
    const { email, token } = account;
    await this.ask(200, (client) => client.as(token).get('/api/v1/me'));
    const firstName = `Ada${this.sent}`;
    account.firstNames.push(firstName);
    if (await this.ask(200, (client) => client.as(token).patch('/api/v1/me', { firstName }))) {
      account.firstNames = [firstName];
    }
    await this.ask(200, (client) => client.post('/api/v1/login', { identifier: email, password: PASSWORD }));
    if (this.accounts.length % 4 > 0) return;
    account.loggedOut = null;
    if (await this.ask(204, (client) => client.as(token).post('/api/v1/logout'))) account.loggedOut = true;
  }

  /** The answer if it is the one expected, else null. */
  private async ask<T>(expected: number, send: (client: ApiClient) => Promise<Answer<T>>): Promise<Answer<T> | null> {
    this.sent += 1;
    const startedAt = performance.now();
    const answer = await this.reach(send);
    if (!answer) return null;
    if (answer.status === expected) {
      this.acknowledged += 1;
      return answer;
    }
    if (answer.status === 503 && Number(answer.headers.get('Retry-After')) > 0) {
      this.refused += 1;
      this.slowestRefusalMs = Math.max(this.slowestRefusalMs, performance.now() - startedAt);
    } else this.unexpected.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    return null;
  }

  /** Where nobody listens nothing has been sent: that is tried again. */
  private async reach<T>(send: (client: ApiClient) => Promise<Answer<T>>): Promise<Answer<T> | null> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await send(this.client());
      } catch (error) {
        const { name, cause } = error as { name: string; cause?: { code?: string } };
        if (name !== 'TypeError') this.unexpected.push(String(error));
        else if (cause?.code !== 'ECONNREFUSED') this.unanswered += 1;
        else if (!this.isOver) {
          await sleep(PAUSE_AFTER_FAILURE_MS);
          this.unreachedMs = performance.now() - startedAt;
          continue;
        }
        return null;
      }
    }
  }
}
