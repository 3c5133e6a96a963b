import { logIn, loginRequest, meRequest, registerConsumers } from '../support/consumers.mjs';
import { withFreeHash } from '../support/hash-switch.mjs';
import { measureInTurn, totalMs } from '../support/measurement.mjs';
import { emailOf, populate } from '../support/population.mjs';
import { startPostgres, withClient } from '../support/postgres.mjs';
import { startService } from '../support/service.mjs';

export const title = 'what login and GET /me cost as the consumers become more (the hash made free)';

const SIZES = (process.env.BENCH_SCALE ?? '10000,1000000,10000000').split(',').map(Number);
/** So many different ones that their rows lie all over the tables. */
const CONSUMERS = 2_000;
const LOAD = { connections: 16, seconds: 5, expectedStatus: 200 };
/** A quarter of a small server's memory, as PostgreSQL's manual advises. */
const SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const postgres = await startPostgres(SETTINGS);
  /** @type {import('../support/service.mjs').Service[]} */
  const services = [];
  try {
    /** @type {Record<string, import('../support/measurement.mjs').MeasuredLoad>} */
    const loads = {};
    for (const size of SIZES) {
      const url = await databaseOf(postgres.url, size);
      const service = await startService({ databaseUrl: url, switchableHash: true });
      services.push(service);
      const consumers = await populated(url, service, size);
      const { headers } = service;
      const loggedIn = await withFreeHash(() => logIn(service, consumers));
      const me = loggedIn.map((consumer) => meRequest(headers, consumer));
      const login = consumers.map((consumer) => loginRequest(headers, consumer));
      loads[`login at ${size}`] = { ...LOAD, server: service, requests: login };
      loads[`GET /me at ${size}`] = { ...LOAD, server: service, requests: me };
    }
    const costs = await withFreeHash(() => measureInTurn(loads, postgres.processorMs));
    const [smallest] = SIZES;
    const figures = ['login', 'GET /me'].flatMap((request) =>
      SIZES.slice(1).map((size) => ({
        name: `processor time of ${request} at ${size} consumers ÷ at ${smallest}`,
        value:
          totalMs(costs[`${request} at ${size}`] ?? failed()) / totalMs(costs[`${request} at ${smallest}`] ?? failed()),
        atMost: 1.2,
      })),
    );
    return { table: costs, figures };
  } finally {
    for (const service of services) await service.stop();
    await postgres.stop();
  }
}

/** @returns {never} */
function failed() {
  throw new Error('Not measured');
}

/**
 * @param {string} url
 * @param {number} size
 */
async function databaseOf(url, size) {
  await withClient(url, (client) => client.query(`CREATE DATABASE scale_${size}`));
  const own = new URL(url);
  own.pathname = `/scale_${size}`;
  return own.href;
}

/**
 * @param {string} url
 * @param {import('../support/service.mjs').Service} service
 * @param {number} size
 */
async function populated(url, service, size) {
  await registerConsumers(service, 1);
  const hash = await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT password_hash FROM credential');
    return /** @type {string} */ (rows[0].password_hash);
  });
  const startedAt = performance.now();
  await populate(url, size, hash);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const megabytes = await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT pg_database_size(current_database()) / 1000000 AS size');
    return Number(rows[0].size);
  });
  console.log(`${size} consumers loaded in ${seconds} s: ${megabytes} MB`);
  return Array.from({ length: Math.min(CONSUMERS, size) }, (_, index) => ({
    email: emailOf(Math.floor((index * size) / CONSUMERS)),
    token: '',
  }));
}
