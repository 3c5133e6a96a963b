import { retryAfterSeconds } from './problem.js';

export interface RetryOptions {
  /** How often a request is sent at most; 1 sends it once (default 3). */
  attempts?: number | undefined;
}

export interface FetchOptions extends RetryOptions {
  /** How long a call may take with all its attempts, whatever signal the caller brings. */
  timeoutSeconds: number;
}

/** In seconds: the longest that the service's own 503 asks for. More is for the caller, who knows whether somebody waits. */
const LONGEST_WAIT = 3;

/** The longest pause after the first attempt: doubled with every attempt, in seconds. */
const FIRST_PAUSE = 0.25;

const IDEMPOTENT_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'];

/**
 * Sends again what may be sent twice (an idempotent method, or an `Idempotency-Key`): after a lost connection, and when
 * the answer names a `Retry-After` of three seconds at most. Follows no redirect, which would carry the key elsewhere.
 * The signal ends the reading of the answer too.
 */
export function retryingFetch(
  send: (request: Request) => Promise<Response>,
  { attempts = 3, timeoutSeconds }: FetchOptions,
): (url: string, init: RequestInit) => Promise<[Response, Request, AbortSignal]> {
  return async (url, init) => {
    const signals = [init.signal ?? [], AbortSignal.timeout(timeoutSeconds * 1000)].flat();
    const signal = AbortSignal.any(signals);
    const deadline = performance.now() + timeoutSeconds * 1000;
    for (let attempt = 1; ; attempt += 1) {
      const request = new Request(url, { ...init, signal, redirect: 'error' });
      const outcome = await send(request).catch((error: unknown) => error);
      const isAnswer = outcome instanceof Response;
      const wait = isAnswer ? await waitAskedFor(outcome) : 0;
      const pause = wait === undefined || wait > LONGEST_WAIT ? Infinity : pauseSeconds(attempt, wait) * 1000;
      // Whoever has no time left to wait learns why the service refused.
      const isLast = attempt >= attempts || !mayBeRepeated(request) || signal.aborted;
      if (isLast || performance.now() + pause >= deadline) {
        if (isAnswer) return [outcome, request, signal];
        throw outcome;
      }
      if (isAnswer) await outcome.body?.cancel().catch(() => undefined);
      await sleep(pause, signal);
    }
  };
}

/** Full jitter on top of what the service asks for: clients that were refused together must not come back together. */
export function pauseSeconds(attempt: number, askedFor: number, random = Math.random): number {
  return askedFor + random() * Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_WAIT);
}

/** Seconds; undefined where the same request would be refused again, or nobody says when not. */
async function waitAskedFor(response: Response): Promise<number | undefined> {
  const { status, headers } = response;
  const isPassing = status === 429 || status === 503 || (status === 409 && (await isInProgress(response)));
  return isPassing ? retryAfterSeconds(headers) : undefined;
}

async function isInProgress(response: Response): Promise<boolean> {
  const problem = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: unknown };
  return problem.code === 'REQUEST_IN_PROGRESS';
}

const mayBeRepeated = ({ method, headers }: Request): boolean =>
  IDEMPOTENT_METHODS.includes(method) || headers.has('idempotency-key');

/**
 * The whole answer; rejects when the signal ends it. `fetch` alone may forget its signal once the headers are there, when
 * garbage is collected.
 */
export function readText(response: Response, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    response
      .text()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', abort);
      });
  });
}

/** Rejects when the signal ends it. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
  });
}
