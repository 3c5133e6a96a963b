// How many hashes a second two threads can verify that do nothing else.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import bcrypt from 'bcryptjs';

const THREADS = 2;
/** V8's own threads compile at first, and would take that from the limit. */
const WARM_UP_SECONDS = 1;
const SECRET = 'a password for the benchmark';

if (!isMainThread) {
  const hash = bcrypt.hashSync(SECRET, workerData);
  parentPort?.on('message', (/** @type {number} */ seconds) => {
    let count = 0;
    const start = performance.now();
    while (performance.now() - start < seconds * 1000) {
      bcrypt.compareSync(SECRET, hash);
      count += 1;
    }
    parentPort?.postMessage((count * 1000) / (performance.now() - start));
  });
}

/** Threads that hash when they are asked to, and do nothing between. */
export class HashingThreads {
  #workers;

  /** @param {number} cost */
  constructor(cost) {
    this.#workers = Array.from({ length: THREADS }, () => new Worker(new URL(import.meta.url), { workerData: cost }));
  }

  /** @param {number} cost */
  static async start(cost) {
    const threads = new HashingThreads(cost);
    await threads.perSecond(WARM_UP_SECONDS);
    return threads;
  }

  /**
   * What all of them together do in that time and until the hashes under way are done.
   *
   * @param {number} seconds
   * @returns {Promise<number>}
   */
  async perSecond(seconds) {
    /** @type {Promise<number>[]} */
    const rates = this.#workers.map(async (worker) => {
      worker.postMessage(seconds);
      const [rate] = await once(worker, 'message');
      return rate;
    });
    return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0);
  }

  async stop() {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
