// POST /login and POST /register beside the hash alone, and what a login costs beyond its hash.
import { resolve } from 'node:path';
import bcrypt from 'bcryptjs';
import { Piscina } from 'piscina';
import { loginRequest, PASSWORD, person, postRequest } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { cpuMsOf, inTurn, rateOf } from '../support/load.mjs';
import { BCRYPT_COST, withServers } from '../support/servers.mjs';

const THREADS = 2;
const SECONDS = 10;
const LOAD = { connections: 16, seconds: SECONDS };

export const measure = async () => [...(await rates()), await overhead()];

const rates = () =>
  withServers(async ({ service, consumers }) => {
    const logins = consumers.map((consumer) => loginRequest(service, consumer));
    // autocannon puts another id there in each request.
    const newConsumer = { ...person('ada-[<id>]@example.com'), password: PASSWORD };
    const registrations = [postRequest(service, '/api/v1/register', newConsumer)];
    const filename = resolve(import.meta.dirname, '../support/hash.worker.mjs');
    const threads = new Piscina({ filename, minThreads: THREADS, maxThreads: THREADS });
    const { login, register, hash } = await inTurn({
      login: () => rateOf(service, { ...LOAD, requests: logins }),
      register: () => rateOf(service, { ...LOAD, requests: registrations, status: 201, idReplacement: true }),
      hash: () => hashLimit(threads),
    });
    await threads.destroy();
    return [
      { name: 'logins a second ÷ hash limit', atLeast: 0.9, ...ratio(login, hash, '/s') },
      { name: 'registrations a second ÷ hash limit', atLeast: 0.9, ...ratio(register, hash, '/s') },
    ];
  });

/** What two threads can verify that do nothing else. @param {Piscina} threads */
async function hashLimit(threads) {
  const task = { secret: PASSWORD, hash: await bcrypt.hash(PASSWORD, BCRYPT_COST) };
  const startedAt = performance.now();
  let count = 0;
  const verify = async () => {
    while (performance.now() - startedAt < SECONDS * 1000) {
      await threads.run(task);
      count += 1;
    }
  };
  // One waits behind each that is under way.
  await Promise.all(Array.from({ length: 2 * THREADS }, verify));
  return (count * 1000) / (performance.now() - startedAt);
}

const overhead = () =>
  withServers(
    async ({ service, rawSpec, consumers }) => {
      const own = consumers.map((consumer) => loginRequest(service, consumer));
      const bare = consumers.map((consumer) => loginRequest(rawSpec, consumer));
      const costs = await inTurn({
        service: () => cpuMsOf(service, { ...LOAD, requests: own }),
        rawSpec: () => cpuMsOf(rawSpec, { ...LOAD, requests: bare }),
      });
      const name = 'CPU of a login beyond its hash ÷ raw-spec';
      return { name, atMost: 2.5, ...ratio(costs.service, costs.rawSpec, 'ms') };
    },
    { freeHash: true },
  );
