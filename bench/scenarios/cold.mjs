import { startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/service.mjs';
import { median } from '../support/statistics.mjs';

export const title = 'from the start of the process to the first 200, on a migrated PostgreSQL';

const STARTS = 7;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const postgres = await startPostgres();
  try {
    await startService({ databaseUrl: postgres.url }).then((first) => first.stop());
    const times = [];
    for (let start = 0; start < STARTS; start += 1) {
      const service = await startService({ databaseUrl: postgres.url });
      times.push(service.startedInMs);
      await service.stop();
    }
    return {
      table: {
        'first 200 after, ms': { fastest: Math.min(...times), median: median(times), slowest: Math.max(...times) },
      },
      figures: [{ name: 'cold start, ms', value: median(times), atMost: 900 }],
    };
  } finally {
    await postgres.stop();
  }
}
