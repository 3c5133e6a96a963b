import { hashesPerSecond } from '../reference/hash-limit.mjs';
import { PASSWORD } from '../support/consumers.mjs';
import { NEW_ID } from '../support/load.mjs';
import { measured } from '../support/measurement.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { BCRYPT_COST, startService } from '../support/service.mjs';
import { median } from '../support/statistics.mjs';

export const title = 'POST /register, beside the hash alone';

const LOAD = { connections: 16, expectedStatus: 201 };
const SECONDS = 8;
const ROUNDS = 3;

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
  const hashing = await startService({ databaseUrl: postgres.url });
  const free = await startService({ databaseUrl: postgres.url, freeHash: true });
  try {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const limit = await hashesPerSecond(BCRYPT_COST, SECONDS);
      const load = { ...LOAD, server: hashing, seconds: SECONDS, requests: [registration(hashing.headers)] };
      const { perSecond } = await measured(load, postgres.processorMs);
      rounds.push({ perSecond, limit, share: perSecond / limit });
    }
    const overhead = await measured(
      { ...LOAD, server: free, seconds: SECONDS, requests: [registration(free.headers)] },
      postgres.processorMs,
    );
    return {
      table: {
        'hash alone in two threads': { perSecond: median(rounds.map(({ limit }) => limit)) },
        'registrations with the hash': { perSecond: median(rounds.map(({ perSecond }) => perSecond)) },
        'hash made free': overhead,
      },
      figures: [
        { name: 'registrations a second ÷ hash limit', value: median(rounds.map(({ share }) => share)), atLeast: 0.9 },
      ],
    };
  } finally {
    await hashing.stop();
    await free.stop();
    await postgres.stop();
  }
}
