// How many hashes a second two threads can verify that do nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import bcrypt from 'bcryptjs';

const THREADS = 2;
/** The service still hashes what it had accepted when a load ended, and would take that from the limit. */
const BACKLOG_MS = 2_000;
const SECRET = 'a password for the benchmark';

if (!isMainThread) {
  const { cost, seconds } = workerData;
  const hash = bcrypt.hashSync(SECRET, cost);
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    bcrypt.compareSync(SECRET, hash);
    count += 1;
  }
  parentPort?.postMessage((count * 1000) / (performance.now() - start));
}

/**
 * @param {number} cost
 * @param {number} seconds
 */
export async function hashesPerSecond(cost, seconds) {
  await sleep(BACKLOG_MS);
  const rates = Array.from(
    { length: THREADS },
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { cost, seconds } });
        worker.once('message', resolve).once('error', reject);
      }),
  );
  return /** @type {number[]} */ (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0);
}
