import { type CallOptions, call, type ConsumerCallOptions, type IdempotentCallOptions } from './call.js';
import { ConsumerClient } from './consumer-client.js';
import type { RetryOptions } from './retrying-fetch.js';
import { Transport } from './transport.js';
import type {
  Country,
  Identification,
  Login,
  PasswordReset,
  RecoveryStarted,
  Registration,
  RegistrationCompletion,
  RegistrationStarted,
  Session,
  Subdivision,
} from './types.js';

/** What an administrator handed out. The key belongs on a backend, never into a browser or an app. */
export interface TouchpointCredential {
  code: string;
  key: string;
}

export interface ClientOptions {
  /** Where the service is, such as `https://id.example.com`. */
  baseUrl: string;
  touchpoint: TouchpointCredential;
  retry?: RetryOptions;
  /** How long a call may take with all its attempts (default 10); a call's own `signal` can end it sooner. */
  timeoutSeconds?: number;
  /** Told of what the service has ignored of a body: fields that it does not know, such as a misspelt one. */
  onIgnoredFields?: (names: string[], request: Request) => void;
  /** Instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The service as a touchpoint's backend sees it. Every refusal is thrown as an `ApiProblem`. */
export class ConsumerServiceClient {
  readonly #transport: Transport;

  constructor({ touchpoint, timeoutSeconds = 10, ...options }: ClientOptions) {
    this.#transport = new Transport({
      ...options,
      timeoutSeconds,
      headers: { 'X-Touchpoint-Code': touchpoint.code, 'X-Touchpoint-Key': touchpoint.key },
    });
  }

  /** A session, or what has to be completed with the code that was sent, where the touchpoint requires a channel proof. */
  async register(body: Registration, options?: IdempotentCallOptions): Promise<Session | RegistrationStarted> {
    const { data } = await this.#transport.send('post', '/api/v1/register', { body, ...idempotent(options) });
    return data;
  }

  /** Registers the consumer by the code that was sent. */
  async completeRegistration(body: RegistrationCompletion, options?: IdempotentCallOptions): Promise<Session> {
    const { data } = await this.#transport.send('post', '/api/v1/register/complete', { body, ...idempotent(options) });
    return data;
  }

  /** A session for a consumer whom an identity provider that the touchpoint trusts has authenticated. */
  async identify(body: Identification, options?: IdempotentCallOptions): Promise<Session> {
    const { data } = await this.#transport.send('post', '/api/v1/identify', { body, ...idempotent(options) });
    return data;
  }

  /** Never sent twice by itself, since every wrong password is counted. */
  async login(body: Login, options?: ConsumerCallOptions): Promise<Session> {
    const { data } = await this.#transport.send('post', '/api/v1/login', { body, ...call(options) });
    return data;
  }

  /** Sends a code for a new password, if somebody can be reached there; the answer does not tell. */
  async forgotPassword(identifier: string, options?: IdempotentCallOptions): Promise<RecoveryStarted> {
    const body = { identifier };
    const { data } = await this.#transport.send('post', '/api/v1/password/forgot', { body, ...idempotent(options) });
    return data;
  }

  /** Sets a new password by the code, and ends every session of the consumer, who has to log in. */
  async resetPassword(body: PasswordReset, options?: IdempotentCallOptions): Promise<void> {
    await this.#transport.send('post', '/api/v1/password/reset', { body, ...idempotent(options) });
  }

  /** The names in `language` (BCP 47), in English by default. */
  async countries(language?: string, options?: CallOptions): Promise<Country[]> {
    const more: Record<string, string> = language === undefined ? {} : { 'Accept-Language': language };
    const { data } = await this.#transport.send('get', '/api/v1/reference/countries', call(options, more));
    return data;
  }

  /** The subdivisions of ISO 3166-2; none for some countries. */
  async subdivisions(countryCode: string, options?: CallOptions): Promise<Subdivision[]> {
    const { data } = await this.#transport.send('get', '/api/v1/reference/countries/{country_code}/subdivisions', {
      path: { country_code: countryCode },
      ...call(options),
    });
    return data;
  }

  /** Acts for the consumer whom this token stands for. `Consumer` also keeps the session alive. */
  as(token: string): ConsumerClient {
    return new ConsumerClient(this.#transport, token);
  }

  /** Milliseconds since the epoch by the service's clock, which its answers tell; before the first, by the machine's. */
  now(): number {
    return this.#transport.now();
  }
}

function idempotent({ idempotencyKey = crypto.randomUUID(), ...options }: IdempotentCallOptions = {}) {
  return call(options, { 'Idempotency-Key': idempotencyKey });
}
