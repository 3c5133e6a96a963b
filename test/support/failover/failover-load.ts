import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ApiClient } from '../api/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../api/consumers';

/** Of those who register, one in so many also logs in, or changes the password. */
const LOGS_IN = 2;
const CHANGES_PASSWORD = 5;
/** A partner's backend that is patient, in milliseconds; not as long as a key that nobody frees. */
const PATIENCE_MS = 58_000;
/** Where an answer does not say when to come again, or there was none. */
const PAUSE_MS = 1_000;
const CHECKED_AT_ONCE = 16;

interface Registered {
  email: string;
  customerId: string;
  /** The one that was acknowledged, and the one that may have come after it. */
  passwords: string[];
  /** What was acknowledged of its sessions: a token, and what `GET /me` must answer it. */
  sessions: { token: string; status: number }[];
}

/** What nginx answers when a replica has taken a request and not answered it has no `Retry-After`. */
const LOST_ANSWER = ' 503: the header Retry-After is missing';

/** So many registrations a second, each repeated with its `Idempotency-Key` until it is acknowledged, and what they do next. */
export class FailoverLoad {
  sent = 0;
  acknowledged = 0;
  /** 503 with `Retry-After`. */
  refused = 0;
  /** The first request of a key is under way, or its process was cut off: `REQUEST_IN_PROGRESS` with `Retry-After`. */
  inProgress = 0;
  /** No answer: a connection ended. */
  unanswered = 0;
  /** Answers that no failover excuses. */
  readonly unexpected: string[] = [];
  /** The longest time, in milliseconds, in which nothing was acknowledged although new requests came. */
  longestPauseMs = 0;
  /** The longest time, in milliseconds, in which one key was only answered that its first request is under way. */
  longestInProgressMs = 0;
  readonly registered: Registered[] = [];
  private lastAt = performance.now();
  private stopping = false;
  private readonly flows = new Set<Promise<void>>();
  private readonly running: Promise<void>;

  constructor(
    private readonly client: ApiClient,
    private readonly perSecond: number,
  ) {
    this.running = this.run();
  }

  /** Waits until so many more requests have been acknowledged, or something unexpected has come. */
  async waitUntilServed(requests: number): Promise<void> {
    const goal = this.acknowledged + requests;
    const deadline = performance.now() + PATIENCE_MS;
    while (this.acknowledged < goal && this.unexpected.length === 0 && performance.now() < deadline) await sleep(20);
  }

  /** Begins no more, and waits until what has begun is acknowledged. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
    await Promise.all(this.flows);
  }

  /** Of what was acknowledged, what is not true any more. */
  async lost(): Promise<string[]> {
    const lost: string[] = [];
    for (let at = 0; at < this.registered.length; at += CHECKED_AT_ONCE) {
      const found = await Promise.all(this.registered.slice(at, at + CHECKED_AT_ONCE).map((one) => this.lossOf(one)));
      lost.push(...found.filter((loss) => loss !== null));
    }
    return lost;
  }

  private async run(): Promise<void> {
    const startedAt = performance.now();
    for (let begun = 0; !this.stopping; begun += 1) {
      const flow: Promise<void> = this.flow(begun).finally(() => this.flows.delete(flow));
      this.flows.add(flow);
      await sleep(Math.max(0, startedAt + (begun * 1000) / this.perSecond - performance.now()));
    }
  }

  private async flow(number: number): Promise<void> {
    const { email, ...person } = newPerson();
    const client = this.client.with({ 'Idempotency-Key': email });
    const answer = await this.repeat(201, () => client.post<SessionBody>('/api/v1/register', { email, ...person }));
    if (!answer) return;
    const { customerId, token } = answer.body;
    const own = { token, status: 200 };
    const account: Registered = { email, customerId, passwords: [PASSWORD], sessions: [own] };
    this.registered.push(account);
    if (number % LOGS_IN === 0) {
      const login = await this.repeat(200, () => this.logIn(account.email, PASSWORD));
      if (login) account.sessions.push({ token: login.body.token, status: 200 });
    }
    if (number % CHANGES_PASSWORD > 0) return;
    const newPassword = `${PASSWORD} anew`;
    const change = { currentPassword: PASSWORD, newPassword };
    const others = account.sessions.filter((session) => session !== own);
    account.passwords.push(newPassword);
    account.sessions = [own];
    // Not repeated: whether it was done is unknown, and the second time the current password could be wrong.
    const changed = await this.ask(204, () => this.client.as(token).post('/api/v1/password/change', change));
    if (!changed) return;
    account.passwords = [newPassword];
    account.sessions.push(...others.map((session) => ({ ...session, status: 401 })));
  }

  private logIn(identifier: string, password: string): Promise<Answer<SessionBody>> {
    return this.client.post('/api/v1/login', { identifier, password });
  }

  private async lossOf({ email, customerId, passwords, sessions }: Registered): Promise<string | null> {
    for (const { token, status } of sessions) {
      const me = await this.client.as(token).get('/api/v1/me');
      if (me.status !== status) return `a session of ${email}: ${me.status} instead of ${status}`;
    }
    for (const password of passwords) {
      const { status, body } = await this.logIn(email, password);
      if (status === 200 && body.customerId === customerId) return null;
    }
    return email;
  }

  /** Until it is acknowledged; each time after the `Retry-After` of the last answer, and by chance up to half as long again. */
  private async repeat<T>(expected: number, send: () => Promise<Answer<T>>): Promise<Answer<T> | null> {
    const deadline = performance.now() + PATIENCE_MS;
    let heldSince: number | null = null;
    let pauseMs = PAUSE_MS;
    const watched = async () => {
      const answer = await send();
      pauseMs = retryAfterMs(answer) ?? PAUSE_MS;
      if (isInProgress(answer)) {
        heldSince ??= performance.now();
        this.longestInProgressMs = Math.max(this.longestInProgressMs, performance.now() - heldSince);
      } else heldSince = null;
      return answer;
    };
    while (performance.now() < deadline && this.unexpected.length === 0) {
      const answer = await this.ask(expected, watched);
      if (answer) return answer;
      await sleep(pauseMs * (1 + Math.random() / 2));
    }
    this.unexpected.push('A request was not acknowledged in time');
    return null;
  }

  /** The answer if it is the one expected, else null. */
  private async ask<T>(expected: number, send: () => Promise<Answer<T>>): Promise<Answer<T> | null> {
    this.sent += 1;
    try {
      const answer = await send();
      if (answer.status === expected) {
        this.acknowledge();
        return answer;
      }
      this.countRefusal(answer);
    } catch (error) {
      // What `fetch` says when a connection ended; anything else is a finding.
      const { name, message } = error as Error;
      if (name === 'TypeError' || message.includes(LOST_ANSWER)) this.unanswered += 1;
      else this.unexpected.push(String(error));
    }
    return null;
  }

  private acknowledge(): void {
    const now = performance.now();
    if (!this.stopping) this.longestPauseMs = Math.max(this.longestPauseMs, now - this.lastAt);
    this.lastAt = now;
    this.acknowledged += 1;
  }

  private countRefusal(answer: Answer<unknown>): void {
    const { status, headers, body } = answer;
    const saysWhen = Number(headers.get('Retry-After')) > 0;
    if (status === 503 && saysWhen) this.refused += 1;
    else if (isInProgress(answer) && saysWhen) this.inProgress += 1;
    else this.unexpected.push(`${status} ${JSON.stringify(body)}`);
  }
}

function retryAfterMs({ headers }: Answer<unknown>): number | null {
  const seconds = headers.get('Retry-After');
  return seconds === null ? null : Number(seconds) * 1000;
}

const isInProgress = ({ body }: Answer<unknown>): boolean =>
  (body as { code?: string } | null)?.code === 'REQUEST_IN_PROGRESS';
