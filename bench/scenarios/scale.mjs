// What a login and GET /me cost at ten thousand and at ten million consumers, the hash made free.
import { logIn, loginRequest, meRequest, registerConsumers } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { cpuMsOf, inTurn } from '../support/load.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/servers.mjs';

/** `BENCH_SCALE` is for a quicker look. */
const SMALL = 10_000;
const LARGE = Number(process.env.BENCH_SCALE ?? 10_000_000);
/** So many different ones that their rows lie all over the tables. */
const CONSUMERS = 2_000;
const LOAD = { connections: 16, seconds: 8 };
/** Both databases fit in memory, as they would on a server for so many. */
const SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

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

/**
 * Consumers with ids in the order of time, addresses in none, and the password of the one who has registered.
 *
 * @param {string} url
 * @param {number} size
 */
async function populate(url, size) {
  await query(
    url,
    `
    -- Foreign keys are true by construction, and checking them would take most of the time.
    SET session_replication_role = replica;
    CREATE TEMP TABLE known AS SELECT password_hash FROM credential;
    CREATE FUNCTION pg_temp.id_of(n integer) RETURNS uuid IMMUTABLE LANGUAGE sql AS
      $$ SELECT (lpad(to_hex(n), 8, '0') || '0000' || '7000' || '8000' || substr(md5(n::text), 1, 12))::uuid $$;
    INSERT INTO consumer (id, type, first_name, last_name, created_at, updated_at)
      SELECT pg_temp.id_of(n), 'PERSON', 'Ada', 'Lovelace ' || n, now(), now() FROM generate_series(1, ${size}) n;
    INSERT INTO identifier (id, consumer_id, kind, value, pending)
      SELECT pg_temp.id_of(n), pg_temp.id_of(n), 'email', md5(n::text) || '@example.com', false
      FROM generate_series(1, ${size}) n;
    INSERT INTO credential (consumer_id, password_hash)
      SELECT pg_temp.id_of(n), password_hash FROM generate_series(1, ${size}) n, known`,
  );
  await query(url, 'VACUUM ANALYZE consumer, identifier, credential');
}
