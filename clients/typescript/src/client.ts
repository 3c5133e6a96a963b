import createClient, { type Client } from 'openapi-fetch';
import { ApiProblem } from './problem.js';
import { type RetryOptions, retryingFetch } from './retrying-fetch.js';
import type { components, paths } from './schema.js';

type Schemas = components['schemas'];

export type Registration = Schemas['Register'];
export type RegistrationCompletion = Schemas['CompleteRegistration'];
export type RegistrationStarted = Schemas['RegistrationStarted'];
export type Identification = Schemas['Identify'];
export type Session = Schemas['Session'];
export type Profile = Schemas['Profile'];
export type ProfilePatch = Schemas['ProfilePatch'];
export type ChallengeSent = Schemas['ChallengeSent'];
export type Verified = Schemas['Verified'];
export type RecoveryStarted = Schemas['RecoveryStarted'];
export type LiveSession = Schemas['LiveSession'];
export type Country = Schemas['Country'];
export type Subdivision = Schemas['Subdivision'];
export type Channel = ChallengeSent['channel'];

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

/** What a single call may carry. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Appears in the service's log and audit trail: 1 to 128 of `A-Za-z0-9._-`. */
  requestId?: string;
}

export interface ConsumerCallOptions extends CallOptions {
  /** The consumer's own IP address, which the service cannot see: guesses at passwords are limited by it. */
  consumerIp?: string;
}

export interface IdempotentCallOptions extends ConsumerCallOptions {
  /** Made for every call when absent; give your own to repeat a call after a restart of your process. */
  idempotencyKey?: string;
}

/** The service as a touchpoint's backend sees it. Every refusal is thrown as an `ApiProblem`. */
export class ConsumerServiceClient {
  private readonly api: Client<paths>;

  constructor({
    baseUrl,
    touchpoint,
    retry,
    timeoutSeconds = 10,
    onIgnoredFields,
    fetch: send = fetch,
  }: ClientOptions) {
    this.api = createClient<paths>({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      headers: { 'X-Touchpoint-Code': touchpoint.code, 'X-Touchpoint-Key': touchpoint.key },
      fetch: retryingFetch((request) => send(request), { ...retry, timeoutSeconds }),
    });
    if (!onIgnoredFields) return;
    this.api.use({
      onResponse({ request, response }) {
        const names = ignoredFields(response);
        if (names.length > 0) onIgnoredFields(names, request);
      },
    });
  }

  /** A session, or what has to be completed with the code that was sent, where the touchpoint requires a channel proof. */
  async register(body: Registration, options?: IdempotentCallOptions): Promise<Session | RegistrationStarted> {
    return dataOf(await this.api.POST('/api/v1/register', { body, ...idempotent(options) }));
  }

  async completeRegistration(body: RegistrationCompletion, options?: IdempotentCallOptions): Promise<Session> {
    return dataOf(await this.api.POST('/api/v1/register/complete', { body, ...idempotent(options) }));
  }

  async identify(body: Identification, options?: IdempotentCallOptions): Promise<Session> {
    return dataOf(await this.api.POST('/api/v1/identify', { body, ...idempotent(options) }));
  }

  async login(body: Schemas['Login'], options?: ConsumerCallOptions): Promise<Session> {
    return dataOf(await this.api.POST('/api/v1/login', { body, ...call(options) }));
  }

  /** Sends a code for a new password, if somebody can be reached there; the answer does not tell. */
  async forgotPassword(identifier: string, options?: IdempotentCallOptions): Promise<RecoveryStarted> {
    const body = { identifier };
    return dataOf(await this.api.POST('/api/v1/password/forgot', { body, ...idempotent(options) }));
  }

  /** Sets a new password by the code, and ends every session of the consumer, who has to log in. */
  async resetPassword(body: Schemas['PasswordReset'], options?: IdempotentCallOptions): Promise<void> {
    check(await this.api.POST('/api/v1/password/reset', { body, ...idempotent(options) }));
  }

  /** The names in `language` (BCP 47), in English by default. */
  async countries(language?: string, options?: CallOptions): Promise<Country[]> {
    const more = language === undefined ? {} : { 'Accept-Language': language };
    return dataOf(await this.api.GET('/api/v1/reference/countries', call(options, more)));
  }

  async subdivisions(countryCode: string, options?: CallOptions): Promise<Subdivision[]> {
    const path = { country_code: countryCode };
    const { headers, ...rest } = call(options);
    return dataOf(
      await this.api.GET('/api/v1/reference/countries/{country_code}/subdivisions', {
        params: { path },
        headers,
        ...rest,
      }),
    );
  }

  /** Acts for the consumer whom this token stands for. */
  as(token: string): ConsumerClient {
    return new ConsumerClient(this.api, token);
  }
}

/** A profile and the entity tag by which a later change can be made conditional. */
export interface TaggedProfile {
  profile: Profile;
  etag: string | null;
}

/** What a consumer does with a token. */
export class ConsumerClient {
  constructor(
    private readonly api: Client<paths>,
    private readonly token: string,
  ) {}

  async me(options?: CallOptions): Promise<TaggedProfile> {
    const result = await this.api.GET('/api/v1/me', this.call(options));
    return { profile: dataOf(result), etag: result.response.headers.get('etag') };
  }

  /** A merge patch: null clears, what is absent stays. With `ifMatch` only that state of the profile is changed. */
  async updateMe(body: ProfilePatch, options: CallOptions & { ifMatch?: string } = {}): Promise<TaggedProfile> {
    const { ifMatch, ...rest } = options;
    const more = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const result = await this.api.PATCH('/api/v1/me', { body, ...this.call(rest, more) });
    return { profile: dataOf(result), etag: result.response.headers.get('etag') };
  }

  async requestVerification(channel: Channel, options?: CallOptions): Promise<ChallengeSent> {
    const params = { path: { channel } };
    return dataOf(await this.api.POST('/api/v1/verifications/{channel}/request', { params, ...this.call(options) }));
  }

  async confirmVerification(channel: Channel, code: string, options?: CallOptions): Promise<Verified> {
    const [params, body] = [{ path: { channel } }, { code }];
    return dataOf(
      await this.api.POST('/api/v1/verifications/{channel}/confirm', { params, body, ...this.call(options) }),
    );
  }

  /** Ends every other session of the consumer. */
  async changePassword(body: Schemas['PasswordChange'], options?: ConsumerCallOptions): Promise<void> {
    check(await this.api.POST('/api/v1/password/change', { body, ...this.call(options) }));
  }

  /** A new token of the same session, where the touchpoint may extend sessions; this one stays valid until its `exp`. */
  async extend(options?: CallOptions): Promise<Session> {
    return dataOf(await this.api.POST('/api/v1/session/extend', this.call(options)));
  }

  /** Where the consumer is signed in, the newest first. */
  async sessions(options?: CallOptions): Promise<LiveSession[]> {
    return dataOf(await this.api.GET('/api/v1/me/sessions', this.call(options)));
  }

  /** Signs the consumer out there; also this session, or one that has ended. */
  async endSession(sessionId: string, options?: CallOptions): Promise<void> {
    const params = { path: { sessionId } };
    check(await this.api.DELETE('/api/v1/me/sessions/{sessionId}', { params, ...this.call(options) }));
  }

  /** Every token of the session is dead at its next use. */
  async logout(options?: CallOptions): Promise<void> {
    check(await this.api.POST('/api/v1/logout', this.call(options)));
  }

  private call(options?: ConsumerCallOptions, more: Record<string, string> = {}) {
    return call(options, { ...more, Authorization: `Bearer ${this.token}` });
  }
}

interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

function dataOf<T>(result: Result<T>): T {
  check(result);
  if (result.data === undefined) throw new ApiProblem(result.response);
  return result.data;
}

function check({ error, response }: Result<unknown>): void {
  if (response.ok) return;
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  throw new ApiProblem(response, isProblem ? (error as object) : {});
}

function ignoredFields({ headers }: Response): string[] {
  const listed = headers.get('ignored-fields')?.split(',') ?? [];
  return listed.map((name) => unescaped(name.trim()));
}

/** The service cuts long names, but none in the middle of a character; something before it may do otherwise. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function call(options: ConsumerCallOptions = {}, more: Record<string, string> = {}) {
  const { signal, requestId, consumerIp } = options;
  const headers = {
    ...more,
    ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    ...(consumerIp !== undefined && { 'X-Consumer-IP': consumerIp }),
  };
  return { headers, ...(signal && { signal }) };
}

function idempotent({ idempotencyKey = crypto.randomUUID(), ...options }: IdempotentCallOptions = {}) {
  return call(options, { 'Idempotency-Key': idempotencyKey });
}
