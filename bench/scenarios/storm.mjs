import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, loginRequest, meRequest } from '../support/consumers.mjs';
import { applyLoad, applySchedule } from '../support/load.mjs';
import { withRig } from '../support/rig.mjs';
import { percentiles } from '../support/statistics.mjs';

export const title = 'GET /me at 50 a second while 16 logins run at once without pause';

const LOGINS_AT_ONCE = 16;
const ME_PER_SECOND = 50;
const WARM_UP_SECONDS = 2;
const SECONDS = 12;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({}, async ({ service, reference, consumers }) => {
    const storm = async (/** @type {typeof reference} */ server) => {
      const { baseUrl, headers } = server;
      const [reader, ...others] = await logIn(server, consumers);
      if (!reader) throw new Error('No consumer');
      const requests = others.map((consumer) => loginRequest(headers, consumer));
      const logins = { baseUrl, connections: LOGINS_AT_ONCE, requests, expectedStatus: 200 };
      const undisturbed = await applyLoad({ ...logins, seconds: SECONDS });
      const stormy = applyLoad({ ...logins, seconds: SECONDS + 2 * WARM_UP_SECONDS });
      await sleep(WARM_UP_SECONDS * 1000);
      const request = meRequest(headers, reader);
      const times = await applySchedule({ baseUrl, request, perSecond: ME_PER_SECOND, seconds: SECONDS });
      const { perSecond } = await stormy;
      return { ...percentiles(times), 'logins/s': perSecond, 'logins/s alone': undisturbed.perSecond };
    };
    const bare = await storm(reference);
    const own = await storm(service);
    return {
      table: { service: own, 'raw-spec': bare },
      figures: [
        { name: 'p99 of GET /me in the storm, ms', value: own.p99, atMost: 15 },
        { name: 'p99 of GET /me in the storm ÷ raw-spec', value: own.p99 / bare.p99, atMost: 2 },
        { name: 'login rate kept', value: own['logins/s'] / own['logins/s alone'], atLeast: 0.95 },
      ],
    };
  });
