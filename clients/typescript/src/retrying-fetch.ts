import { retryAfterSeconds } from './problem.js';

export interface RetryOptions {
  /** How often a request is sent at most; 1 sends it once (default 4). */
  attempts?: number;
  /** The longest wait that is worth it, in seconds (default 30): a longer `Retry-After` ends the attempts. */
  maxWaitSeconds?: number;
}

/** How long a request may take, in milliseconds, unless the caller brings a signal. */
const DEADLINE = 30_000;

/** Without `Retry-After`: doubled with every attempt, in seconds. */
const FIRST_WAIT = 0.25;

const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Sends a request again when `Retry-After` has passed: after 429 and `REQUEST_IN_PROGRESS`, when nothing was done, and
 * where nothing can be done twice (reading, and with an `Idempotency-Key`) also after 503 and a lost connection.
 */
export function retryingFetch(
  send: (request: Request) => Promise<Response>,
  { attempts = 4, maxWaitSeconds = 30 }: RetryOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { signal } = request;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      const backOff = FIRST_WAIT * 2 ** (attempt - 1);
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)]);
      const outcome = await send(new Request(request.clone(), { signal: deadline })).catch((error: unknown) => error);
      if (!(outcome instanceof Response)) {
        if (isLast || signal.aborted || !mayBeRepeated(request)) throw outcome;
        await sleep(withJitter(backOff) * 1000, signal);
        continue;
      }
      const wait = (await isRetryable(outcome, request)) ? waitAskedFor(outcome, backOff) : null;
      if (isLast || wait === null || wait > maxWaitSeconds) return outcome;
      await outcome.body?.cancel().catch(() => undefined);
      await sleep(withJitter(wait) * 1000, signal);
    }
  };
}

async function isRetryable(response: Response, request: Request): Promise<boolean> {
  const { status } = response;
  // What failed on its way, or at the end of a transaction, may have been done.
  if (status === 503) return mayBeRepeated(request);
  return status === 429 || (status === 409 && (await isInProgress(response)));
}

/** Seconds; null for a date, which only something before the service sends. */
function waitAskedFor({ headers }: Response, backOff: number): number | null {
  return headers.has('retry-after') ? (retryAfterSeconds(headers) ?? null) : backOff;
}

async function isInProgress(response: Response): Promise<boolean> {
  const problem = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: unknown };
  return problem.code === 'REQUEST_IN_PROGRESS';
}

const mayBeRepeated = ({ method, headers }: Request): boolean =>
  SAFE_METHODS.includes(method) || headers.has('idempotency-key');

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
