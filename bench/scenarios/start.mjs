// Cold start, from the start of the process to the first 200 on a migrated database, and memory held.
import { setTimeout as sleep } from 'node:timers/promises';
import { loginRequest, logIn, meRequest } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { applyLoad, median } from '../support/load.mjs';
import { residentMegabytes } from '../support/processes.mjs';
import { startRawSpec, startService, withServers } from '../support/servers.mjs';

const STARTS = 7;
const IDLE_MS = 5_000;

export const measure = () =>
  withServers(async ({ service, postgres, consumers }) => {
    /** @type {{ own: number[], bare: number[] }} */
    const starts = { own: [], bare: [] };
    for (let start = 0; start < STARTS; start += 1) {
      const own = await startService(postgres);
      starts.own.push(own.startedInMs);
      await own.stop();
      const bare = await startRawSpec(postgres, service.headers);
      starts.bare.push(bare.startedInMs);
      await bare.stop();
    }

    const fresh = await startService(postgres);
    await sleep(IDLE_MS);
    const idle = residentMegabytes(fresh.pid);
    await fresh.stop();

    const me = (await logIn(service, consumers)).map((consumer) => meRequest(service, consumer));
    const login = consumers.map((consumer) => loginRequest(service, consumer));
    await applyLoad(service, { requests: me, connections: 32, seconds: 10 });
    await applyLoad(service, { requests: login, connections: 16, seconds: 10 });
    await sleep(IDLE_MS);
    const after = residentMegabytes(service.pid);

    return [
      { name: 'cold start ÷ raw-spec', atMost: 12, ...ratio(median(starts.own), median(starts.bare), 'ms') },
      { name: 'resident memory, idle, MB', atMost: 190, value: idle, madeOf: 'five seconds after the start' },
      {
        name: 'resident memory after the load, MB',
        atMost: 220,
        value: after,
        madeOf: '10 s of reads, 10 s of logins',
      },
    ];
  });
