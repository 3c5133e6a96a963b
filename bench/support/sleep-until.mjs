import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
const PATIENCE_MS = 15_000;

/**
 * Waits until the condition holds.
 *
 * @param {() => boolean | Promise<boolean>} holds
 * @returns {Promise<number>} how long that took, in milliseconds
 */
export async function sleepUntil(holds) {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`In vain: ${holds.toString()}`);
    await sleep(POLL_MS);
  }
  return performance.now() - startedAt;
}
