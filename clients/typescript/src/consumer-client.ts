import { type CallOptions, call, type ConsumerCallOptions, type UpdateOptions } from './call.js';
import type { Transport } from './transport.js';
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

/** What a consumer does with one token. */
export class ConsumerClient {
  readonly #transport: Transport;
  readonly #token: string;

  /** Made by `client.as(token)`. */
  constructor(transport: Transport, token: string) {
    this.#transport = transport;
    this.#token = token;
  }

  async me(options?: CallOptions): Promise<TaggedProfile> {
    const { data, headers } = await this.#transport.send('get', '/api/v1/me', this.#call(options));
    return { profile: data, etag: headers.get('etag') };
  }

  /** A merge patch: null clears, what is absent stays. With `ifMatch` only that state of the profile is changed. */
  async updateMe(body: ProfilePatch, { ifMatch, ...options }: UpdateOptions = {}): Promise<TaggedProfile> {
    const more: Record<string, string> = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const { data, headers } = await this.#transport.send('patch', '/api/v1/me', { body, ...this.#call(options, more) });
    return { profile: data, etag: headers.get('etag') };
  }

  /** Sends a code to the address that is not yet verified. */
  async requestVerification(channel: Channel, options?: CallOptions): Promise<ChallengeSent> {
    const { data } = await this.#transport.send('post', '/api/v1/verifications/{channel}/request', {
      path: { channel },
      ...this.#call(options),
    });
    return data;
  }

  /** Proves the address by the code. */
  async confirmVerification(channel: Channel, code: string, options?: CallOptions): Promise<Verified> {
    const { data } = await this.#transport.send('post', '/api/v1/verifications/{channel}/confirm', {
      path: { channel },
      body: { code },
      ...this.#call(options),
    });
    return data;
  }

  /** Ends every other session of the consumer. */
  async changePassword(body: PasswordChange, options?: ConsumerCallOptions): Promise<void> {
    await this.#transport.send('post', '/api/v1/password/change', { body, ...this.#call(options) });
  }

  /** A new token of the same session, where the touchpoint may extend sessions; this one stays valid until its `exp`. */
  async extend(options?: CallOptions): Promise<Session> {
    const { data } = await this.#transport.send('post', '/api/v1/session/extend', this.#call(options));
    return data;
  }

  /** Where the consumer is signed in, the newest first. */
  async sessions(options?: CallOptions): Promise<LiveSession[]> {
    const { data } = await this.#transport.send('get', '/api/v1/me/sessions', this.#call(options));
    return data;
  }

  /** Signs the consumer out there; also this session, or one that has ended. */
  async endSession(sessionId: string, options?: CallOptions): Promise<void> {
    const path = { sessionId };
    await this.#transport.send('delete', '/api/v1/me/sessions/{sessionId}', { path, ...this.#call(options) });
  }

  /** Every token of the session is dead at its next use. */
  async logout(options?: CallOptions): Promise<void> {
    await this.#transport.send('post', '/api/v1/logout', this.#call(options));
  }

  #call(options?: ConsumerCallOptions, more: Record<string, string> = {}) {
    return call(options, { ...more, Authorization: `Bearer ${this.#token}` });
  }
}
