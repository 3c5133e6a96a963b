// Whether the time of the first step of a registration tells that an address has an owner.
import { setTimeout as sleep } from 'node:timers/promises';
import { sender } from './client.mjs';
import { startService } from './service.mjs';
import { percentiles } from './statistics.mjs';

const OWNERS = 40;
const COOL_DOWN_MS = 61_000;
const GOAL = { min: 0.85, max: 1.18 };
const PASSWORD = 'a password for the benchmark';

/** @returns {Promise<boolean>} whether the goal holds */
export async function run() {
  const service = await startService();
  try {
    const create = ['touchpoint', 'create', '--code', `known-${process.pid}`, '--channel-proof', 'EMAIL'];
    const { code, key } = service.cli(...create, '--rate-limit', 'unlimited');
    const send = sender(service.baseUrl, { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
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
    console.table({ known: percentiles(times.known), unknown: percentiles(times.unknown) });
    const ratio = percentiles(times.known).p50 / percentiles(times.unknown).p50;
    console.log(`median for known ÷ unknown addresses: ${ratio.toFixed(2)} (goal: ${GOAL.min} to ${GOAL.max})`);
    return ratio >= GOAL.min && ratio <= GOAL.max;
  } finally {
    await service.stop();
  }
}
