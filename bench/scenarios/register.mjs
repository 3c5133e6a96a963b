import { PASSWORD } from '../support/consumers.mjs';
import { shareOfHashLimit } from '../support/hash-share.mjs';
import { WARM_UP_SECONDS, withFreeHash } from '../support/hash-switch.mjs';
import { NEW_ID } from '../support/load.mjs';
import { measured } from '../support/measurement.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/service.mjs';

export const title = 'POST /register, beside the hash alone';

const LOAD = { connections: 16, expectedStatus: 201 };
const FREE_HASH_SECONDS = 8;

/** A new consumer each time: the load generator puts an id of its own there.
 * @param {Record<string, string>} headers */
const registration = (headers) => ({
  method: 'POST',
  path: '/api/v1/register',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    type: 'PERSON',
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: `ada-${NEW_ID}@example.com`,
    password: PASSWORD,
  }),
});

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const postgres = await startPostgres();
  const service = await startService({ databaseUrl: postgres.url, switchableHash: true });
  try {
    const load = { ...LOAD, server: service, requests: [registration(service.headers)] };
    const free = (/** @type {number} */ seconds) => measured({ ...load, seconds }, postgres.processorMs);
    const overhead = await withFreeHash(async () => {
      await free(WARM_UP_SECONDS);
      return free(FREE_HASH_SECONDS);
    });
    const share = await shareOfHashLimit(load);
    return {
      table: {
        'with the hash': share,
        'hash made free': overhead,
      },
      figures: [{ name: 'registrations a second ÷ hash limit', value: share.share, atLeast: 0.9 }],
    };
  } finally {
    await service.stop();
    await postgres.stop();
  }
}
