import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, loginRequest, meRequest } from '../support/consumers.mjs';
import { applyLoad } from '../support/load.mjs';
import { residentMegabytes } from '../support/processor.mjs';
import { withRig } from '../support/rig.mjs';
import { startService } from '../support/service.mjs';

export const title = 'memory held, idle and after a load of profile reads and logins';

const IDLE_MS = 5_000;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({}, async ({ service, postgres, consumers }) => {
    const fresh = await startService({ databaseUrl: postgres.url });
    await sleep(IDLE_MS);
    const idle = residentMegabytes(fresh.pid);
    await fresh.stop();
    const { baseUrl, headers } = service;
    const loggedIn = await logIn(service, consumers);
    const me = loggedIn.map((consumer) => meRequest(headers, consumer));
    const logins = consumers.map((consumer) => loginRequest(headers, consumer));
    await applyLoad({ baseUrl, connections: 32, seconds: 10, expectedStatus: 200, requests: me });
    await applyLoad({ baseUrl, connections: 16, seconds: 10, expectedStatus: 200, requests: logins });
    await sleep(IDLE_MS);
    const after = residentMegabytes(service.pid);
    return {
      table: { 'resident, MB': { idle, after } },
      figures: [
        { name: 'resident memory idle, MB', value: idle, atMost: 180 },
        { name: 'resident memory after the load, MB', value: after, atMost: 200 },
      ],
    };
  });
