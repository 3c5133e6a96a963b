import { setTimeout as sleep } from 'node:timers/promises';
import { HashingThreads } from '../reference/hash-limit.mjs';
import { applyLoad } from './load.mjs';
import { BCRYPT_COST } from './service.mjs';
import { mean } from './statistics.mjs';

/**
 * For how long a server has to be loaded before, the hash made free: a service that has been running for days is what is
 * meant, and V8 goes on compiling. Between hashes, the event loop and V8's threads spent 4.9 ms on a login after 25
 * seconds of it, and 3.7 after 150, on a slow machine.
 */
export const WARM_UP_SECONDS = 120;

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
