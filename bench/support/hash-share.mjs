import { setTimeout as sleep } from 'node:timers/promises';
import { HashingThreads } from '../reference/hash-limit.mjs';
import { applyLoad } from './load.mjs';
import { BCRYPT_COST } from './service.mjs';
import { mean } from './statistics.mjs';

const ROUNDS = 40;
const SECONDS = 1;
/** At either end of a load, while its requests begin or run out. */
const EDGE_SECONDS = 3;

/**
 * How many requests a second there are, each with a hash, and what part that is of the hashes that two threads alone can
 * make. The processors' speed changes by a seventh from one second to the next, so both have the machine in turn, for a
 * second each: the server is halted (SIGSTOP) in the middle of its work, and that time is not counted.
 *
 * @param {Omit<import('./measurement.mjs').MeasuredLoad, 'seconds'>} load
 * @returns {Promise<{ perSecond: number, limit: number, share: number }>} `limit`: hashes alone a second
 */
export async function shareOfHashLimit({ server, ...load }) {
  const threads = await HashingThreads.start(BCRYPT_COST);
  const seconds = ROUNDS * 2 * SECONDS + 2 * EDGE_SECONDS;
  const loaded = applyLoad({ ...load, baseUrl: server.baseUrl, seconds });
  const rates = [];
  let haltedMs = 0;
  try {
    await sleep(EDGE_SECONDS * 1000);
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(SECONDS * 1000);
      const haltedAt = performance.now();
      process.kill(server.pid, 'SIGSTOP');
      rates.push(await threads.perSecond(SECONDS));
      process.kill(server.pid, 'SIGCONT');
      haltedMs += performance.now() - haltedAt;
    }
    const { answered, steadyMs } = await loaded;
    const perSecond = (answered * 1000) / (steadyMs - haltedMs);
    const limit = mean(rates);
    return { perSecond, limit, share: perSecond / limit };
  } finally {
    process.kill(server.pid, 'SIGCONT');
    await threads.stop();
  }
}
