import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginRequest, meRequest, registerConsumers } from '../support/consumers.mjs';
import { freePort } from '../support/free-port.mjs';
import { observeLoad } from '../support/load.mjs';
import { startNginx } from '../support/nginx.mjs';
import { startPostgres, withClient } from '../support/postgres.mjs';
import { startRedis } from '../support/redis.mjs';
import { productionSettings, startReplica } from '../support/service.mjs';
import { sleepUntil } from '../support/sleep-until.mjs';

export const title = 'three replicas on one PostgreSQL and Redis behind nginx';

const REPLICAS = 3;
const CONSUMERS = 32;
const LIMIT = 1_000;
const SENT = 1_500;
const SENT_AT_ONCE = 50;
const ROLLING_SECONDS = 40;
/** Longer than nginx takes a server for dead that it has missed (`fail_timeout`), as whoever restarts replicas must wait. */
const SETTLING_MS = 6_000;

/** @typedef {Record<string, string>} Headers */

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const postgres = await startPostgres();
  const redis = await startRedis();
  const { settings, cli } = productionSettings(directory, { DATABASE_URL: postgres.url, REDIS_URL: redis.url });
  cli('keys', 'generate');
  const ports = [];
  for (let index = 0; index < REPLICAS; index += 1) ports.push(await freePort());
  const start = (/** @type {number} */ port) => startReplica({ settings, directory, port });
  await withClient(postgres.url, (client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  // At once on an empty database: one of them migrates.
  const replicas = await Promise.all(ports.map(start));
  const nginx = await startNginx(ports.map((port) => `127.0.0.1:${port}`));
  try {
    const migrations = await withClient(postgres.url, async (client) => {
      const { rows } = await client.query('SELECT count(*) - count(DISTINCT name) AS twice FROM migration');
      return Number(rows[0].twice);
    });
    const { baseUrl } = nginx;
    const headers = credentialOf(cli('touchpoint', 'create', '--code', 'load'));
    const consumers = await registerConsumers({ baseUrl, headers }, CONSUMERS);
    const me = consumers.map((consumer) => meRequest(headers, consumer));
    const login = consumers.map((consumer) => loginRequest(headers, consumer));

    const limited = await sentWithin(baseUrl, credentialOf(limitedTouchpoint(cli)));
    const logoutMs = await logoutSeenByAll(replicas, headers, consumers.pop());
    const disabledMs = await disabledSeenByAll(replicas, cli);

    const [first] = replicas;
    const reading = observeLoad({
      baseUrl,
      connections: 16,
      seconds: 10,
      requests: me.slice(0, -1),
      expectedStatus: 200,
    });
    await sleep(3_000);
    await first?.end('SIGKILL');
    const killed = await reading;
    if (ports[0] !== undefined) replicas[0] = await start(ports[0]);

    const seconds = ROLLING_SECONDS;
    const reads = observeLoad({ baseUrl, connections: 8, seconds, requests: me.slice(0, -1), expectedStatus: 200 });
    const logins = observeLoad({ baseUrl, connections: 4, seconds, requests: login.slice(0, -1), expectedStatus: 200 });
    for (const [index, port] of ports.entries()) {
      await sleep(SETTLING_MS);
      await replicas[index]?.end('SIGTERM');
      replicas[index] = await start(port);
    }
    const rolling = [await reads, await logins];
    return {
      table: {
        'GET /me while one is killed': summary(killed),
        'GET /me in a rolling restart': summary(rolling[0]),
        'logins in a rolling restart': summary(rolling[1]),
        'limit of 1000 over all': { count: limited },
        'seen by all after, ms': { logout: logoutMs, 'touchpoint disabled': disabledMs },
      },
      figures: [
        { name: 'migrations run more than once', value: migrations, atMost: 0 },
        { name: 'requests within a limit of 1000', value: limited, atLeast: LIMIT * 0.99, atMost: LIMIT * 1.01 },
        { name: 'a logout seen by all after, ms', value: logoutMs, atMost: 1000 },
        { name: 'a disabled touchpoint refused by all after, ms', value: disabledMs, atMost: 1000 },
        { name: 'reads failed while one replica is killed', value: failed(killed), atMost: 0 },
        { name: 'requests failed in a rolling restart', value: failed(rolling[0]) + failed(rolling[1]), atMost: 0 },
      ],
    };
  } finally {
    await nginx.stop();
    for (const replica of replicas) await replica.end();
    await redis.stop();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {{ code: string, key: string }} touchpoint
 * @returns {Headers} */
const credentialOf = ({ code, key }) => ({ 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });

const limitedTouchpoint = (/** @type {(...args: string[]) => any} */ cli) =>
  cli('touchpoint', 'create', '--code', 'limited', '--rate-limit', `${LIMIT}/600`);

/** How many of too many requests are within the touchpoint's limit, whichever replicas they meet.
 * @param {string} baseUrl
 * @param {Headers} headers */
async function sentWithin(baseUrl, headers) {
  let [left, within] = [SENT, 0];
  const send = async () => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(`${baseUrl}/api/v1/reference/countries`, { headers });
      await response.arrayBuffer();
      if (response.ok) within += 1;
      else if (response.status !== 429) throw new Error(`Answered ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, send));
  return within;
}

/**
 * @param {{ baseUrl: string }[]} replicas
 * @param {Headers} headers
 * @param {import('../support/consumers.mjs').BenchConsumer | undefined} consumer
 */
async function logoutSeenByAll(replicas, headers, consumer) {
  const [request] = consumer ? [meRequest(headers, consumer)] : [];
  if (!request) throw new Error('No consumer');
  const statuses = () => statusesOf(replicas, '/api/v1/me', request.headers);
  if ((await statuses()).some((status) => status !== 200)) throw new Error('The session is not seen by all');
  await fetch(`${replicas[0]?.baseUrl}/api/v1/logout`, { method: 'POST', headers: request.headers });
  return sleepUntil(async () => (await statuses()).every((status) => status === 401));
}

/**
 * @param {{ baseUrl: string }[]} replicas
 * @param {(...args: string[]) => any} cli
 */
async function disabledSeenByAll(replicas, cli) {
  const headers = credentialOf(cli('touchpoint', 'create', '--code', 'disabled'));
  const statuses = () => statusesOf(replicas, '/api/v1/reference/countries', headers);
  if ((await statuses()).some((status) => status !== 200)) throw new Error('The touchpoint is not seen by all');
  cli('touchpoint', 'disable', 'disabled');
  return sleepUntil(async () => (await statuses()).every((status) => status === 401));
}

/**
 * @param {{ baseUrl: string }[]} replicas
 * @param {string} path
 * @param {Headers} headers
 */
const statusesOf = (replicas, path, headers) =>
  Promise.all(
    replicas.map(async ({ baseUrl }) => {
      const response = await fetch(baseUrl + path, { headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );

/** @typedef {import('../support/load.mjs').LoadResult | undefined} Observed */

const failed = (/** @type {Observed} */ observed) =>
  Object.values(observed?.unexpected ?? { lost: 1 }).reduce((sum, count) => sum + count, 0);

const summary = (/** @type {Observed} */ observed) => ({
  count: observed?.count,
  perSecond: observed?.perSecond,
  p99: observed?.p99,
  failed: failed(observed),
  ...observed?.unexpected,
});
