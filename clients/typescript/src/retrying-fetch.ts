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
 * Sends a request again as the service asks: after 429, 503 and `REQUEST_IN_PROGRESS`, when `Retry-After` has passed.
 * A lost connection is tried again only where that cannot do anything twice: reading, and with an `Idempotency-Key`.
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
      let waitSeconds: number;
      try {
        const deadline = AbortSignal.timeout(DEADLINE);
        const response = await send(new Request(request.clone(), { signal: AbortSignal.any([signal, deadline]) }));
        const wait = await waitAskedFor(response, backOff);
        if (isLast || wait === null || wait > maxWaitSeconds) return response;
        waitSeconds = wait;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || signal.aborted || !mayBeRepeated(request)) throw error;
        waitSeconds = backOff;
      }
      await sleep(withJitter(waitSeconds) * 1000, signal);
    }
  };
}

/** Seconds to wait before the next attempt, or null when another would be answered alike. */
async function waitAskedFor(response: Response, backOff: number): Promise<number | null> {
  const { status, headers } = response;
  const isRetryable = status === 429 || status === 503 || (status === 409 && (await isInProgress(response)));
  return isRetryable ? (retryAfterSeconds(headers) ?? backOff) : null;
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
