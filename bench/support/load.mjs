import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { send } from './consumers.mjs';

/** For so long the hashes of requests that a load has left behind keep the processors busy. */
const SETTLING_MS = 1_000;
/** A busy machine may answer late, but must answer. */
const TIMEOUT_SECONDS = 60;
const ROUNDS = 3;

/**
 * Sends the requests round and round, as fast as the connections take them; another status than `status` is an error.
 *
 * @typedef {{
 *   requests: import('./consumers.mjs').Request[], connections: number, seconds: number, status?: number,
 *   idReplacement?: boolean }} Load
 * @param {import('./servers.mjs').Server} server
 * @param {Load} load
 * @returns {Promise<{ perSecond: number, cpuMs: number }>} `cpuMs`: CPU time of server and database for one request
 */
export async function applyLoad(server, { requests, seconds, status = 200, ...options }) {
  let begun = 0;
  /** Each connection starts elsewhere in the list, so that no two of them ask the same at once.
   * @param {autocannon.Client} client */
  const setupClient = (client) => {
    const first = Math.floor((begun * requests.length) / options.connections) % requests.length;
    begun += 1;
    client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
  };
  const cpuBefore = server.cpuMs();
  const result = await autocannon({
    ...options,
    url: server.baseUrl,
    duration: seconds,
    timeout: TIMEOUT_SECONDS,
    requests,
    setupClient,
  });
  const cpuMs = server.cpuMs() - cpuBefore;
  const count = result['2xx'] + result['3xx'];
  const answered = Object.keys(result.statusCodeStats ?? {}).join();
  if (answered !== String(status) || result.errors > 0) {
    throw new Error(`${requests[0]?.path}: ${result.errors} errors, answered ${answered} instead of ${status}`);
  }
  await sleep(SETTLING_MS);
  return { perSecond: count / result.duration, cpuMs: cpuMs / count };
}

/** How many requests are answered a second. @param {import('./servers.mjs').Server} server @param {Load} load */
export const rateOf = async (server, load) => (await applyLoad(server, load)).perSecond;

/** What one request costs. @param {import('./servers.mjs').Server} server @param {Load} load */
export const cpuMsOf = async (server, load) => (await applyLoad(server, load)).cpuMs;

/**
 * Sends one request at even intervals, which autocannon does not: it sends a second's requests at once.
 *
 * @param {import('./servers.mjs').Server} server
 * @param {{ request: import('./consumers.mjs').Request, perSecond: number, seconds: number }} pace
 * @returns {Promise<number>} p99 in milliseconds from when each request was due, so that a slow answer hides none behind it
 */
export async function p99AtPace(server, { request, perSecond, seconds }) {
  const startedAt = performance.now();
  const answers = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = startedAt + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    answers.push(send(server, request).then(() => performance.now() - due));
  }
  const times = (await Promise.all(answers)).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? NaN;
}

/**
 * Measures in turn, so that what else the machine does meets all alike. The first round warms up and does not count.
 *
 * @template {string} Name
 * @param {Record<Name, () => Promise<number>>} measures
 * @returns {Promise<Record<Name, number>>} medians of three rounds
 */
export async function inTurn(measures) {
  const names = /** @type {Name[]} */ (Object.keys(measures));
  const rounds = names.map((name) => ({ name, values: /** @type {number[]} */ ([]) }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, values } of rounds) values.push(await measures[name]());
  }
  return /** @type {Record<Name, number>} */ (
    Object.fromEntries(rounds.map(({ name, values }) => [name, median(values.slice(1))]))
  );
}

/** @param {number[]} values */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
