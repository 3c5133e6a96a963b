import { logIn, loginRequest, meRequest } from '../support/consumers.mjs';
import { WARM_UP_SECONDS, withFreeHash } from '../support/hash-switch.mjs';
import { applyLoad, applySchedule } from '../support/load.mjs';
import { withRig } from '../support/rig.mjs';
import { median, percentiles } from '../support/statistics.mjs';

export const title = 'GET /me at 50 a second while 16 logins run at once without pause';

const LOGINS_AT_ONCE = 16;
const ME_PER_SECOND = 50;
const SECONDS = 8;
const READS_WARM_UP_SECONDS = 15;
const ROUNDS = 5;
const ROUNDS_OF_REFERENCE = 3;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({ switchableHash: true }, async ({ service, reference, consumers }) => {
    const bare = await storms(reference, consumers, ROUNDS_OF_REFERENCE);
    const own = await storms(service, consumers, ROUNDS);
    return {
      table: { service: own, 'raw-spec': bare },
      figures: [
        { name: 'p99 of GET /me in the storm, ms', value: own.p99, atMost: 15 },
        { name: 'p99 of GET /me in the storm ÷ raw-spec', value: own.p99 / bare.p99, atMost: 2 },
        { name: 'login rate kept', value: own['login rate kept'], atLeast: 0.95 },
      ],
    };
  });

/**
 * Each storm stands between two rounds of logins alone, since the machine's speed changes meanwhile.
 *
 * @param {import('../support/rig.mjs').Rig['reference']} server
 * @param {import('../support/rig.mjs').Rig['consumers']} consumers
 * @param {number} count
 */
async function storms(server, consumers, count) {
  const { baseUrl, headers } = server;
  const [reader, ...others] = await logIn(server, consumers);
  if (!reader) throw new Error('No consumer');
  const request = meRequest(headers, reader);
  const requests = others.map((consumer) => loginRequest(headers, consumer));
  const logins = { baseUrl, connections: LOGINS_AT_ONCE, requests, expectedStatus: 200 };
  await withFreeHash(async () => {
    await applyLoad({ ...logins, seconds: WARM_UP_SECONDS });
    await applyLoad({ ...logins, requests: [request], seconds: READS_WARM_UP_SECONDS });
  });
  const alone = () => applyLoad({ ...logins, seconds: SECONDS });
  const times = [];
  const rounds = [];
  await alone();
  let before = await alone();
  for (let round = 0; round < count; round += 1) {
    const reads = applySchedule({ baseUrl, request, perSecond: ME_PER_SECOND, seconds: SECONDS });
    const { perSecond } = await applyLoad({ ...logins, seconds: SECONDS });
    times.push(...(await reads));
    const after = await alone();
    const undisturbed = (before.perSecond + after.perSecond) / 2;
    rounds.push({ perSecond, undisturbed, kept: perSecond / undisturbed });
    before = after;
  }
  return {
    ...percentiles(times),
    'logins/s': median(rounds.map(({ perSecond }) => perSecond)),
    'logins/s alone': median(rounds.map(({ undisturbed }) => undisturbed)),
    'login rate kept': median(rounds.map(({ kept }) => kept)),
  };
}
