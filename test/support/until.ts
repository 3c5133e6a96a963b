import { setTimeout as sleep } from 'node:timers/promises';

/** How long something may take to happen; a bound against hanging, not an expectation. */
export const PATIENCE_MS = 60_000;

/** Waits until something is so, or is there, and returns it. */
export async function until<T>(find: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined>> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const found = await find();
    if (found !== false && found !== null && found !== undefined) return found as Exclude<T, false | null | undefined>;
    patience.throwIfAborted();
    await sleep(25);
  }
}
