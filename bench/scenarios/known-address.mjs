import { setTimeout as sleep } from 'node:timers/promises';
import { sender } from '../support/client.mjs';
import { PASSWORD } from '../support/consumers.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/service.mjs';
import { percentiles } from '../support/statistics.mjs';

export const title = 'whether the time of the first step of a registration tells that an address has an owner';

const OWNERS = 40;
const COOL_DOWN_MS = 61_000;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const postgres = await startPostgres();
  const service = await startService({ databaseUrl: postgres.url, channelProof: 'EMAIL' });
  try {
    const send = sender(service.baseUrl, service.headers);
    const address = (/** @type {string} */ kind, /** @type {number} */ index) =>
      `${kind}-${process.pid}-${index}@example.com`;
    const begin = (/** @type {string} */ email) =>
      send('POST', '/api/v1/register', { body: { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email } });

    const begun = new Map();
    for (let index = 0; index < OWNERS; index += 1) {
      const email = address('owner', index);
      begun.set(email, (await begin(email)).registrationId);
    }
    await sleep(5_000);
    for (const { to, code: proof } of service.cli('message', 'list')) {
      const body = { registrationId: begun.get(to), code: proof, password: PASSWORD };
      if (begun.has(to)) await send('POST', '/api/v1/register/complete', { body });
    }
    await sleep(COOL_DOWN_MS);

    /** @type {Record<'known' | 'unknown', number[]>} */
    const times = { known: [], unknown: [] };
    for (let index = 0; index < OWNERS; index += 1) {
      for (const kind of /** @type {const} */ (['known', 'unknown'])) {
        const email = address(kind === 'known' ? 'owner' : 'stranger', index);
        const sentAt = performance.now();
        await begin(email);
        times[kind].push(performance.now() - sentAt);
      }
    }
    const [known, unknown] = [percentiles(times.known), percentiles(times.unknown)];
    const name = 'median for known ÷ unknown addresses';
    return {
      table: { known, unknown },
      figures: [{ name, value: known.p50 / unknown.p50, atLeast: 0.85, atMost: 1.18 }],
    };
  } finally {
    await service.stop();
    await postgres.stop();
  }
}
