// Whether the time of the first step of a registration tells that an address has an owner.
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD, person, postRequest, send } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { median } from '../support/load.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/servers.mjs';

const OWNERS = 40;
const DELIVERY_MS = 5_000;
/** The same address is sent no second message sooner. */
const COOL_DOWN_MS = 61_000;

export async function measure() {
  const postgres = await startPostgres();
  const service = await startService(postgres, { channelProof: 'EMAIL' });
  try {
    const post = (/** @type {string} */ path, /** @type {object} */ body) =>
      send(service, postRequest(service, path, body));
    const begin = (/** @type {string} */ email) => post('/api/v1/register', person(email));
    const owners = Array.from({ length: OWNERS }, (_, index) => `owner-${index}@example.com`);

    const begun = new Map();
    for (const email of owners) begun.set(email, (await begin(email)).registrationId);
    await sleep(DELIVERY_MS);
    for (const { to, code: proof } of service.cli('message', 'list')) {
      await post('/api/v1/register/complete', { registrationId: begun.get(to), code: proof, password: PASSWORD });
    }
    await sleep(COOL_DOWN_MS);

    const msOf = async (/** @type {string} */ email) => {
      const sentAt = performance.now();
      await begin(email);
      return performance.now() - sentAt;
    };
    const known = [];
    const unknown = [];
    for (const email of owners) {
      known.push(await msOf(email));
      unknown.push(await msOf(`stranger-${email}`));
    }
    const slower = Math.max(median(known), median(unknown));
    const faster = Math.min(median(known), median(unknown));
    return [
      { name: 'median for a known or unknown address, slower ÷ faster', atMost: 1.18, ...ratio(slower, faster, 'ms') },
    ];
  } finally {
    await service.stop();
    postgres.stop();
  }
}
