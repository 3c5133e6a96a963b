import { applyLoad } from './load.mjs';
import { processorMs } from './processor.mjs';
import { median } from './statistics.mjs';

/**
 * What one kind of request costs on one server; times in milliseconds. `databaseMs` is null where the database is not
 * a process of ours.
 *
 * @typedef {{ perSecond: number, p50: number, p99: number, processorMs: number, databaseMs: number | null }} Cost
 * @typedef {Omit<import('./load.mjs').Load, 'baseUrl'> & { server: { baseUrl: string, pid: number } }} MeasuredLoad
 */

/**
 * Measures loads in turn, some rounds each, so that what else the machine does meets them alike; the medians count.
 *
 * @template {string} Name
 * @param {Record<Name, MeasuredLoad>} loads
 * @param {() => number | null} databaseProcessorMs
 * @param {{ rounds?: number, warmUpSeconds?: number }} [options] the service has much code, which V8 compiles as it is used
 * @returns {Promise<Record<Name, Cost>>}
 */
export async function measureInTurn(loads, databaseProcessorMs, { rounds = 3, warmUpSeconds = 8 } = {}) {
  const entries = /** @type {[Name, MeasuredLoad][]} */ (Object.entries(loads));
  for (const [, load] of entries) await measured({ ...load, seconds: warmUpSeconds }, databaseProcessorMs);
  /** @type {Map<Name, Cost[]>} */
  const costs = new Map(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, load] of entries) costs.get(name)?.push(await measured(load, databaseProcessorMs));
  }
  return /** @type {Record<Name, Cost>} */ (
    Object.fromEntries([...costs].map(([name, measurements]) => [name, medianCost(measurements)]))
  );
}

/**
 * @param {MeasuredLoad} load
 * @param {() => number | null} databaseProcessorMs
 * @returns {Promise<Cost>}
 */
export async function measured({ server, ...load }, databaseProcessorMs) {
  const [applicationBefore, databaseBefore] = [processorMs(server.pid), databaseProcessorMs()];
  const { count, perSecond, p50, p99 } = await applyLoad({ baseUrl: server.baseUrl, ...load });
  const [application, database] = [processorMs(server.pid), databaseProcessorMs()];
  return {
    perSecond,
    p50,
    p99,
    processorMs: (application - applicationBefore) / count,
    databaseMs: database === null ? null : (database - (databaseBefore ?? 0)) / count,
  };
}

/** @param {Cost[]} rounds
 * @returns {Cost} */
const medianCost = (rounds) => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
  processorMs: median(rounds.map((round) => round.processorMs)),
  databaseMs: rounds[0]?.databaseMs === null ? null : median(rounds.map(({ databaseMs }) => databaseMs ?? 0)),
});

/** Processor time of application and database together. */
export const totalMs = (/** @type {Cost} */ { processorMs: own, databaseMs }) => own + (databaseMs ?? 0);
