import { expectDocumented } from './documented-answers';

/** What a test reads of an answer. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** A touchpoint's backend: sends its credential with every request, and the consumer's token once it has one. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    readonly headers: Record<string, string>,
  ) {}

  /** The same backend, acting for the consumer whom this token stands for. */
  as(token: string): ApiClient {
    return this.with({ Authorization: `Bearer ${token}` });
  }

  with(headers: Record<string, string>): ApiClient {
    return new ApiClient(this.baseUrl, { ...this.headers, ...headers });
  }

  /** The same backend, talking to another replica. */
  at(baseUrl: string): ApiClient {
    return new ApiClient(baseUrl, this.headers);
  }

  get<T = Record<string, unknown>>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send('GET', path, undefined, headers);
  }

  post<T = Record<string, unknown>>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.send('POST', path, body);
  }

  patch<T = Record<string, unknown>>(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    return this.send('PATCH', path, body, headers);
  }

  /** `body` is sent as JSON, text and bytes as they are. The answer must be one that the API's document describes. */
  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { ...this.headers, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const header = (name: string) => response.headers.get(name);
    expectDocumented(method, path, { status: response.status, header, body: text });
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
    };
  }
}
