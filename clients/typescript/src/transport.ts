import { ApiProblem, problemOf } from './problem.js';
import { readText, type RetryOptions, retryingFetch } from './retrying-fetch.js';
import type { paths } from './schema.js';

type Method = 'get' | 'post' | 'patch' | 'delete';
type PathWith<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type OperationAt<M extends Method, P extends PathWith<M>> = paths[P] extends Record<M, infer O> ? O : never;

type Parameters<O, Place extends string> = O extends { parameters: Partial<Record<Place, infer V>> } ? V : never;
type JsonOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;
type BodyOf<O> = O extends { requestBody: infer R } ? JsonOf<R> : never;
type AnswerOf<O> = O extends { responses: infer R } ? JsonOf<R[keyof R & (200 | 201 | 202)]> : never;

/** What a request carries beside the credential. */
interface Sent<O> {
  path?: Parameters<O, 'path'>;
  query?: Parameters<O, 'query'>;
  body?: BodyOf<O>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

interface Answered<T> {
  /** Absent where the answer has no body. */
  data: T;
  headers: Headers;
}

export interface TransportOptions {
  baseUrl: string;
  /** Sent with every request. */
  headers: Record<string, string>;
  retry?: RetryOptions | undefined;
  timeoutSeconds: number;
  onIgnoredFields?: ((names: string[], request: Request) => void) | undefined;
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Sends what the OpenAPI document describes, with the types that it describes. Private, so that no log shows the key. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #send: (url: string, init: RequestInit) => Promise<[Response, Request, AbortSignal]>;
  #aheadMs = 0;

  constructor({ baseUrl, fetch: send = (request) => fetch(request), ...options }: TransportOptions) {
    this.#options = { ...options, baseUrl: baseUrl.replace(/\/+$/, '') };
    this.#send = retryingFetch(send, { ...options.retry, timeoutSeconds: options.timeoutSeconds });
  }

  /** Milliseconds since the epoch by the service's clock, as far as its answers have told it. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The answer to an operation; a refusal is thrown. */
  async send<M extends Method, P extends PathWith<M>>(
    method: M,
    path: P,
    { path: inPath, query, body, headers, signal }: Sent<OperationAt<M, P>> = {},
  ): Promise<Answered<AnswerOf<OperationAt<M, P>>>> {
    const asked = new URLSearchParams(query as Record<string, string> | undefined).toString();
    const url =
      this.#options.baseUrl +
      filled(path, inPath as Record<string, string> | undefined) +
      (asked === '' ? '' : `?${asked}`);
    const [response, request, over] = await this.#send(url, {
      method: method.toUpperCase(),
      headers: {
        ...this.#options.headers,
        ...headers,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    this.#learnTime(response);
    const names = ignoredFields(response);
    if (names.length > 0) this.#options.onIgnoredFields?.(names, request);
    const data = parsed(await readText(response, over));
    if (!response.ok) throw problemOf(response, data);
    if (data === undefined && response.status !== 204) throw new ApiProblem(response);
    return { data: data as AnswerOf<OperationAt<M, P>>, headers: response.headers };
  }

  /** What may have been kept on its way tells an old time. */
  #learnTime({ headers }: Response): void {
    const time = Date.parse(headers.get('date') ?? '');
    const isFresh = headers.get('cache-control')?.includes('no-store') === true;
    if (isFresh && !Number.isNaN(time)) this.#aheadMs = time - Date.now();
  }
}

const filled = (path: string, values: Record<string, string> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** What something before the service has answered may be no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
