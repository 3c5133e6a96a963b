// What a login and GET /me cost at ten thousand and at ten million consumers, the hash made free.
import { logIn, loginRequest, meRequest, registerConsumers } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { cpuMsOf, inTurn } from '../support/load.mjs';
import { LARGE, populate, SETTINGS } from '../support/population.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/servers.mjs';

const SMALL = 10_000;
/** So many different ones that their rows lie all over the tables. */
const CONSUMERS = 2_000;
const LOAD = { connections: 16, seconds: 8 };

export async function measure() {
  const small = await populatedService(SMALL);
  const large = await populatedService(LARGE);
  try {
    const { smallLogin, largeLogin, smallMe, largeMe } = await inTurn({
      smallLogin: small.login,
      largeLogin: large.login,
      smallMe: small.me,
      largeMe: large.me,
    });
    const sizes = `at ${LARGE.toLocaleString('en')} ÷ at ${SMALL.toLocaleString('en')}`;
    return [
      { name: `CPU of a login ${sizes}`, atMost: 1.2, ...ratio(largeLogin, smallLogin, 'ms') },
      { name: `CPU of GET /me ${sizes}`, atMost: 1.2, ...ratio(largeMe, smallMe, 'ms') },
    ];
  } finally {
    await small.stop();
    await large.stop();
  }
}

/** @param {number} size */
async function populatedService(size) {
  const postgres = await startPostgres(SETTINGS);
  const service = await startService(postgres, { freeHash: true });
  await registerConsumers(service, 1);
  await populate(postgres.url, size);
  const consumers = await query(
    postgres.url,
    "SELECT value AS email, '' AS token FROM identifier ORDER BY md5(value) LIMIT $1",
    [CONSUMERS],
  );
  const login = consumers.map((consumer) => loginRequest(service, consumer));
  const me = (await logIn(service, consumers)).map((consumer) => meRequest(service, consumer));
  return {
    login: () => cpuMsOf(service, { ...LOAD, requests: login }),
    me: () => cpuMsOf(service, { ...LOAD, requests: me }),
    stop: async () => {
      await service.stop();
      postgres.stop();
    },
  };
}
