import { startPostgres } from '../support/postgres.mjs';
import { startReference, startService } from '../support/service.mjs';
import { median } from '../support/statistics.mjs';

export const title = 'from the start of the process to the first 200, on a migrated PostgreSQL';

const STARTS = 15;

/** The goal is 900 ms on a machine where the bare reference needs 97 ms: loading modules is the processor's work alone. */
const GOAL = 900 / 97;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const postgres = await startPostgres();
  try {
    const first = await startService({ databaseUrl: postgres.url });
    await first.stop();
    const target = { databaseUrl: postgres.url, headers: first.headers };
    /** @type {number[][]} */
    const [own = [], bare = []] = [[], []];
    for (let start = 0; start < STARTS; start += 1) {
      own.push(await startedInMs(() => startService(target)));
      bare.push(await startedInMs(() => startReference(target)));
    }
    return {
      table: { 'service, ms': spread(own), 'raw-spec, ms': spread(bare) },
      figures: [{ name: 'cold start ÷ raw-spec', value: median(own) / median(bare), atMost: GOAL }],
    };
  } finally {
    await postgres.stop();
  }
}

/** @param {() => Promise<{ startedInMs: number, stop: () => Promise<void> }>} start */
async function startedInMs(start) {
  const server = await start();
  await server.stop();
  return server.startedInMs;
}

const spread = (/** @type {number[]} */ times) => ({
  fastest: Math.min(...times),
  median: median(times),
  slowest: Math.max(...times),
});
