import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, loginRequest, meRequest, registerConsumers } from '../support/consumers.mjs';
import { withFreeHash } from '../support/hash-switch.mjs';
import { applyLoad, applySchedule } from '../support/load.mjs';
import { measured } from '../support/measurement.mjs';
import { residentMegabytes } from '../support/processor.mjs';
import { startService } from '../support/service.mjs';
import { percentiles } from '../support/statistics.mjs';

export const title = 'the same on the embedded database: what one gives up (no goals)';

const CONSUMERS = 64;
const LOAD = { connections: 16, seconds: 8, expectedStatus: 200 };
const STORM_SECONDS = 10;
const noDatabase = () => null;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const service = await startService({ switchableHash: true });
  try {
    const { baseUrl, headers, pid } = service;
    const idle = residentMegabytes(pid);
    const consumers = await logIn(service, await registerConsumers(service, CONSUMERS));
    const me = consumers.map((consumer) => meRequest(headers, consumer));
    const login = consumers.map((consumer) => loginRequest(headers, consumer));
    const table = {
      'GET /me': await measured({ ...LOAD, server: service, requests: me }, noDatabase),
      login: await measured({ ...LOAD, server: service, requests: login }, noDatabase),
      'login, hash made free': await withFreeHash(() =>
        measured({ ...LOAD, server: service, requests: login }, noDatabase),
      ),
      'GET /me in a login storm': {},
    };
    const logins = applyLoad({ ...LOAD, baseUrl, seconds: STORM_SECONDS + 3, requests: login });
    await sleep(2_000);
    const [request] = me;
    if (!request) throw new Error('No request');
    const { all } = await applySchedule({ baseUrl, request, perSecond: 50, seconds: STORM_SECONDS });
    const { perSecond } = await logins;
    const { p50, p99 } = percentiles(all);
    table['GET /me in a login storm'] = { p50, p99, 'logins/s': perSecond };
    return {
      table: {
        ...table,
        'cold start, ms': { value: service.startedInMs },
        'resident, MB': { idle, after: residentMegabytes(pid) },
      },
      figures: [],
    };
  } finally {
    await service.stop();
  }
}
