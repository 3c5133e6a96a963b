import type { CallOptions, ConsumerCallOptions, UpdateOptions } from './call.js';
import type { ConsumerServiceClient } from './client.js';
import type { ConsumerClient } from './consumer-client.js';
import { ApiProblem } from './problem.js';
import type {
  ChallengeSent,
  Channel,
  LiveSession,
  PasswordChange,
  ProfilePatch,
  Session,
  TaggedProfile,
  Verified,
} from './types.js';

/** What a website keeps of a signed-in consumer, in its own session store. */
export interface StoredConsumer {
  customerId: string;
  token: string;
  /** False where the service has refused to extend the session. */
  mayExtend?: boolean;
}

/** Extensions under way, by the token that they replace: one for all that need it. */
const underWay = new Map<string, Promise<Session>>();

/**
 * A signed-in consumer. In the second half of its token's life a call also gets the next token, so that the session lasts
 * as long as the consumer is active and the touchpoint allows. When the session has ended, calls are refused with
 * `UNAUTHENTICATED`.
 */
export class Consumer {
  readonly customerId: string;
  readonly #client: ConsumerServiceClient;
  #token: string;
  #mayExtend: boolean;

  private constructor(client: ConsumerServiceClient, { customerId, token, mayExtend = true }: StoredConsumer) {
    this.#client = client;
    this.customerId = customerId;
    this.#token = token;
    this.#mayExtend = mayExtend;
    lifeOf(token);
  }

  /** From a session that the service has just answered, or from what `toJSON` gave. */
  static from(client: ConsumerServiceClient, session: Session | StoredConsumer): Consumer {
    return new Consumer(client, session);
  }

  /** The present token, for calls of your own. It belongs on a backend. */
  get token(): string {
    return this.#token;
  }

  /** When the present token ends. */
  get expiresAt(): Date {
    return new Date(lifeOf(this.#token).endMs);
  }

  /** To be stored after every use, since the token may be another. */
  toJSON(): StoredConsumer {
    return { customerId: this.customerId, token: this.#token, mayExtend: this.#mayExtend };
  }

  profile(options?: CallOptions): Promise<TaggedProfile> {
    return this.#act((consumer) => consumer.me(options));
  }

  /** A merge patch: null clears, what is absent stays. With `ifMatch` only that state of the profile is changed. */
  updateProfile(patch: ProfilePatch, options?: UpdateOptions): Promise<TaggedProfile> {
    return this.#act((consumer) => consumer.updateMe(patch, options));
  }

  /** Ends every other session of the consumer. */
  changePassword(change: PasswordChange, options?: ConsumerCallOptions): Promise<void> {
    return this.#act((consumer) => consumer.changePassword(change, options));
  }

  /** Sends a code to the address that is not yet verified. */
  requestVerification(channel: Channel, options?: CallOptions): Promise<ChallengeSent> {
    return this.#act((consumer) => consumer.requestVerification(channel, options));
  }

  /** Proves the address by the code. */
  confirmVerification(channel: Channel, code: string, options?: CallOptions): Promise<Verified> {
    return this.#act((consumer) => consumer.confirmVerification(channel, code, options));
  }

  /** Where the consumer is signed in, the newest first. */
  sessions(options?: CallOptions): Promise<LiveSession[]> {
    return this.#act((consumer) => consumer.sessions(options));
  }

  /** Signs the consumer out there. */
  endSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.#act((consumer) => consumer.endSession(sessionId, options));
  }

  /** Every token of the session is dead at its next use. */
  logout(options?: CallOptions): Promise<void> {
    this.#mayExtend = false;
    return this.#client.as(this.#token).logout(options);
  }

  /** Extends the session if it is time. For pages on which the consumer is active without a call; it never throws. */
  async keepAlive(): Promise<void> {
    const token = this.#token;
    const { middleMs, endMs } = lifeOf(token);
    const now = this.#client.now();
    if (!this.#mayExtend || now < middleMs || now >= endMs) return;
    try {
      const extended = await this.#extended(token);
      // Near the end of what the touchpoint allows, a new token ends when the old one does.
      this.#mayExtend = lifeOf(extended.token).endMs > endMs;
      this.#token = extended.token;
    } catch (error) {
      // The token is good until it ends. Anything else may pass: the next call tries again.
      if (error instanceof ApiProblem && error.is('SESSION_EXTENSION_NOT_ALLOWED', 'UNAUTHENTICATED')) {
        this.#mayExtend = false;
      }
    }
  }

  /** The answer comes first: it tells what time it is at the service. */
  async #act<T>(act: (consumer: ConsumerClient) => Promise<T>): Promise<T> {
    try {
      const answer = await act(this.#client.as(this.#token));
      await this.keepAlive();
      return answer;
    } catch (error) {
      if (error instanceof ApiProblem && !error.is('UNAUTHENTICATED')) await this.keepAlive();
      throw error;
    }
  }

  #extended(token: string): Promise<Session> {
    let extension = underWay.get(token);
    if (!extension) {
      extension = this.#client
        .as(token)
        .extend()
        .finally(() => underWay.delete(token));
      underWay.set(token, extension);
    }
    return extension;
  }
}

/** When half of a token's life is over and when all of it is, by the service's clock; it is not verified here. */
function lifeOf(token: string): { middleMs: number; endMs: number } {
  try {
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      iat?: unknown;
      exp?: unknown;
    };
    if (typeof iat === 'number' && typeof exp === 'number') return { middleMs: (iat + exp) * 500, endMs: exp * 1000 };
  } catch {
    // Said below.
  }
  throw new TypeError('This is no token of a consumer');
}
