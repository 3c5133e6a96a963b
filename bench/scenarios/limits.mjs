import { createRequire } from 'node:module';

export const title = 'counting one request against a limit, in memory, as the window fills';

const FILLED = [1_000, 1_000_000];
const SAMPLE = 100_000;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const { RateLimitStorage } = createRequire(import.meta.url)(
    '../../dist/touchpoints/rate-limit/rate-limit.storage.js',
  );
  const storage = new RateLimitStorage({ client: undefined, isAway: false });
  const count = async (/** @type {number} */ times) => {
    const { user, system } = process.cpuUsage();
    for (let index = 0; index < times; index += 1) await storage.increment('bench', 3_600_000, 1_000_000_000);
    const spent = process.cpuUsage({ user, system });
    return (spent.user + spent.system) / times;
  };
  await count(SAMPLE);
  let counted = SAMPLE;
  /** @type {Record<string, { microseconds: number }>} */
  const table = {};
  for (const filled of FILLED) {
    await count(Math.max(0, filled - counted));
    counted = Math.max(counted, filled);
    table[`${filled} in the window`] = { microseconds: await count(SAMPLE) };
  }
  const [few, many] = FILLED.map((filled) => table[`${filled} in the window`]?.microseconds ?? NaN);
  return {
    table,
    figures: [
      { name: 'one check at a million requests in the window, µs', value: many ?? NaN, atMost: 2 },
      { name: 'one check at a million ÷ at a thousand', value: (many ?? NaN) / (few ?? NaN), atMost: 1.5 },
    ],
  };
}
