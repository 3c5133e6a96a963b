// Cold start, from the start of the process to the first 200 on a migrated database, and memory held.
import { setTimeout as sleep } from 'node:timers/promises';
import { loginRequest, meRequest } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { applyLoad, median } from '../support/load.mjs';
import { residentMegabytes } from '../support/processes.mjs';
import { startRawSpec, startService, withServers } from '../support/servers.mjs';

const STARTS = 7;
const IDLE_MS = 5_000;

export const measure = () =>
  withServers(async ({ service, postgres, consumers }) => {
    const own = [];
    const bare = [];
    for (let start = 0; start < STARTS; start += 1) {
      own.push(await timeOf(await startService(postgres)));
      bare.push(await timeOf(await startRawSpec(postgres, service.headers)));
    }

    const fresh = await startService(postgres);
    await sleep(IDLE_MS);
    const idle = residentMegabytes(fresh.pid);
    await fresh.stop();

    const me = consumers.map((consumer) => meRequest(service, consumer));
    const login = consumers.map((consumer) => loginRequest(service, consumer));
    await applyLoad(service, { requests: me, connections: 32, seconds: 10 });
    await applyLoad(service, { requests: login, connections: 16, seconds: 10 });
    await sleep(IDLE_MS);
    const after = residentMegabytes(service.pid);

    return [
      { name: 'cold start ÷ raw-spec', atMost: 12, ...ratio(median(own), median(bare), 'ms') },
      { name: 'resident memory, idle, MB', atMost: 190, value: idle, madeOf: 'five seconds after the start' },
      {
        name: 'resident memory after the load, MB',
        atMost: 220,
        value: after,
        madeOf: '10 s of reads, 10 s of logins',
      },
    ];
  });

/** @param {import('../support/servers.mjs').Server} started */
async function timeOf({ startedInMs, stop }) {
  await stop();
  return startedInMs;
}
