import { setTimeout as sleep } from 'node:timers/promises';

/** Ends early, and without an error, when the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Waits for work to end, but not forever. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([work, pause(ms, patience.signal)]);
  patience.abort();
}
