import { type CallOptions, call } from './call.js';
import { ApiProblem } from './problem.js';
import { type RetryOptions, sleep } from './retrying-fetch.js';
import type { components } from './schema.js';
import { Transport } from './transport.js';

type Schemas = components['schemas'];

export type ConsumerEvent = Schemas['Event'];
export type EventType = ConsumerEvent['type'];
export type IntegrationProfile = Schemas['IntegrationProfile'];

/** How long the service may keep a request that waits for the next event, in seconds. */
const WAIT = 25;
/** Between attempts while the service is away, in milliseconds: doubled, up to the longest. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** What an administrator handed out. */
export interface SubscriberCredential {
  code: string;
  key: string;
}

export interface SubscriberOptions {
  /** Where the service is, such as `https://id.example.com`. */
  baseUrl: string;
  subscriber: SubscriberCredential;
  retry?: RetryOptions;
  /** How long a call may take beside what it waits for events (default 10). */
  timeoutSeconds?: number;
  /** Instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

export interface EventsOptions {
  /** The position of the last event that you have processed. Absent: where you acknowledged last, or where the subscriber begins. */
  after?: string;
  types?: EventType[];
  /** Events a request, 1 to 1,000 (default 100). */
  limit?: number;
  /** Ends the loop before the next event. */
  signal?: AbortSignal;
  /**
   * Told where to go on, when you have taken all events of a page, or there were none for you: store and acknowledge it,
   * so that a subscriber with few types is not behind for the events of others. An error of yours ends the loop.
   */
  onPage?: (nextAfter: string) => void | Promise<void>;
  /** Told of each attempt that failed; the loop goes on. */
  onRetry?: (error: unknown) => void;
}

/** The service as another system of the business sees it: what happened to consumers, and their profiles. */
export class SubscriberClient {
  readonly #transport: Transport;

  constructor({ subscriber, timeoutSeconds = 10, ...options }: SubscriberOptions) {
    this.#transport = new Transport({
      ...options,
      timeoutSeconds: timeoutSeconds + WAIT,
      headers: { 'X-Subscriber-Code': subscriber.code, 'X-Subscriber-Key': subscriber.key },
    });
  }

  /**
   * Every event once, in order, and then those to come, until `signal` ends it. Goes on by itself when the service or the
   * network was away. Store `event.position` with what you do; after a restart of your own give the last one as `after`.
   * What asking again cannot help is thrown: `SUBSCRIBER_UNAUTHORIZED`, `CURSOR_EXPIRED`, `VALIDATION_FAILED`.
   */
  async *events({ after, signal, onPage, onRetry, ...filter }: EventsOptions = {}): AsyncGenerator<
    ConsumerEvent,
    void,
    void
  > {
    const isEnded = () => signal?.aborted === true;
    let position = after;
    for (let failures = 0; !isEnded();) {
      let page: Schemas['Feed'];
      try {
        const place = position === undefined ? {} : { after: position };
        page = await this.#page({ ...filter, ...place, ...(signal && { signal }) });
        failures = 0;
      } catch (error) {
        if (isEnded()) return;
        if (!isPassing(error)) throw error;
        onRetry?.(error);
        await sleep(pauseBefore(failures, error), signal).catch(() => undefined);
        failures += 1;
        continue;
      }
      for (const event of page.events) {
        if (isEnded()) return;
        yield event;
      }
      if (page.nextAfter !== position) await onPage?.(page.nextAfter);
      position = page.nextAfter;
    }
  }

  /** Tells administrators how far you are; a request without `after` goes on there. */
  async acknowledge(position: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('post', '/integration/v1/events/ack', { body: { position }, ...call(options) });
  }

  /** The profile as it is now; null when the consumer has been erased. Needs the right to read consumers. */
  async consumer(customerId: string, options?: CallOptions): Promise<IntegrationProfile | null> {
    const path = { customerId };
    try {
      const sent = { path, ...call(options) };
      return (await this.#transport.send('get', '/integration/v1/consumers/{customerId}', sent)).data;
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 404) return null;
      throw error;
    }
  }

  async #page({ after, types, limit = 100, signal }: Omit<EventsOptions, 'onPage' | 'onRetry'>) {
    const query = {
      ...{ limit, wait: WAIT },
      ...(after !== undefined && { after }),
      ...(types && { types: types.join(',') }),
    };
    const { data } = await this.#transport.send('get', '/integration/v1/events', { query, ...(signal && { signal }) });
    return data;
  }
}

/** An answer says that the service is overloaded or away; anything that is no answer is the network's. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || error.status === 429 || error.status >= 500;

/** In milliseconds. */
function pauseBefore(failures: number, error: unknown): number {
  const asked = error instanceof ApiProblem ? (error.retryAfter ?? 0) * 1000 : 0;
  const own = Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
  return Math.max(asked, own * (0.5 + Math.random() / 2));
}
