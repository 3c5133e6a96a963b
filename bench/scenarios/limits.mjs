// Counting one request against a limit, in memory, as the window fills.
import { createRequire } from 'node:module';
import { ratio } from '../support/figures.mjs';

const FEW = 1_000;
const MANY = 1_000_000;
const SAMPLE = 100_000;
const WINDOW_MS = 3_600_000;

export async function measure() {
  const built = '../../dist/touchpoints/rate-limit/rate-limit.storage.js';
  const { RateLimitStorage } = createRequire(import.meta.url)(built);
  const storage = new RateLimitStorage({ client: undefined, isAway: false });
  const count = async (/** @type {string} */ key, /** @type {number} */ times) => {
    const before = process.cpuUsage();
    for (let index = 0; index < times; index += 1) await storage.increment(key, WINDOW_MS, 1_000_000_000);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  };

  await count('warm-up', SAMPLE);
  await count('few', FEW);
  const few = await count('few', SAMPLE);
  await count('many', MANY);
  const many = await count('many', SAMPLE);
  return [
    { name: 'limit check at a million in the window, µs', atMost: 2, value: many, madeOf: 'CPU of one count' },
    { name: 'the same ÷ at a thousand', atMost: 1.5, ...ratio(many, few, 'µs') },
  ];
}
