import { retryAfterSeconds } from './problem.js';

export interface RetryOptions {
  /** How often a request is sent at most; 1 sends it once (default 3). */
  attempts?: number;
}

export interface FetchOptions extends RetryOptions {
  /** How long a call may take with all its attempts, whatever signal the caller brings. */
  timeoutSeconds: number;
}

/** What is further away is for the caller to decide, who knows whether somebody is waiting. */
const LONGEST_WAIT = 2;

/** After a lost connection: doubled with every attempt, in seconds. */
const FIRST_WAIT = 0.25;

const IDEMPOTENT_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'];

/**
 * Sends again what may be sent twice (an idempotent method, or an `Idempotency-Key`): after a lost connection, and when
 * the answer names a `Retry-After` of two seconds at most. Follows no redirect, which would carry the key elsewhere.
 */
export function retryingFetch(
  send: (request: Request) => Promise<Response>,
  { attempts = 3, timeoutSeconds }: FetchOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    const deadline = performance.now() + timeoutSeconds * 1000;
    const mostAttempts = mayBeRepeated(request) ? attempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(new Request(request.clone(), { signal, redirect: 'error' })).catch(
        (error: unknown) => error,
      );
      const isAnswer = outcome instanceof Response;
      const wait = isAnswer ? await waitAskedFor(outcome) : FIRST_WAIT * 2 ** (attempt - 1);
      const pause = wait === undefined || wait > LONGEST_WAIT ? Infinity : withJitter(wait) * 1000;
      // Whoever has no time left to wait learns why the service refused.
      if (attempt >= mostAttempts || signal.aborted || performance.now() + pause >= deadline) {
        if (isAnswer) return outcome;
        throw outcome;
      }
      if (isAnswer) await outcome.body?.cancel().catch(() => undefined);
      await sleep(pause, signal);
    }
  };
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

/** Clients that were refused together must not come back together. */
const withJitter = (seconds: number): number => seconds * (1 + Math.random() * 0.2);

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
