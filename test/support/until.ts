import { setTimeout as sleep } from 'node:timers/promises';

/** How long something may take to happen; a bound against hanging, not an expectation. */
export const PATIENCE_MS = 60_000;

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  while (!(await isSo())) {
    patience.throwIfAborted();
    await sleep(25);
  }
}
