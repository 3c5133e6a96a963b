import { registerConsumers } from './consumers.mjs';
import { startPostgres } from './postgres.mjs';
import { startReference, startService } from './service.mjs';

const CONSUMERS = 64;

/**
 * @typedef {{
 *   service: import('./service.mjs').Service,
 *   reference: Omit<import('./service.mjs').Service, 'cli'>,
 *   postgres: import('./postgres.mjs').Postgres,
 *   consumers: import('./consumers.mjs').BenchConsumer[],
 * }} Rig
 */

/**
 * Runs `work` with the service and the bare reference on one PostgreSQL, and with consumers of both.
 *
 * @template T
 * @param {{ switchableHash?: boolean }} options
 * @param {(rig: Rig) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withRig({ switchableHash = false }, work) {
  const postgres = await startPostgres();
  const service = await startService({ databaseUrl: postgres.url, switchableHash });
  const reference = await startReference({ databaseUrl: postgres.url, headers: service.headers, switchableHash });
  try {
    return await work({ service, reference, postgres, consumers: await registerConsumers(service, CONSUMERS) });
  } finally {
    await reference.stop();
    await service.stop();
    await postgres.stop();
  }
}
