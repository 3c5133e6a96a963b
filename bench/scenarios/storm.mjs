import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, loginRequest, meRequest } from '../support/consumers.mjs';
import { WARM_UP_SECONDS, withFreeHash } from '../support/hash-switch.mjs';
import { applyLoad, applySchedule } from '../support/load.mjs';
import { monotonicMs } from '../support/monotonic.mjs';
import { stolenMs } from '../support/processor.mjs';
import { withRig } from '../support/rig.mjs';
import { percentiles } from '../support/statistics.mjs';

export const title = 'GET /me at 50 a second while 16 logins run at once without pause';

const LOGINS_AT_ONCE = 16;
const ME_PER_SECOND = 50;
const SECONDS = 4;
const ROUNDS = 15;
/** An answer tells of the hash that was made before it. */
const SETTLING_MS = 300;
/** At either end of the logins, while they begin or run out. */
const EDGE_SECONDS = 6;
const READS_WARM_UP_SECONDS = 15;
/** Of the sender: a new one took 0.71 ms of processor time for a read between hashes, one so warm 0.45. */
const SENDER_WARM_UP = { perSecond: 500, seconds: 10 };

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({ switchableHash: true }, async ({ service, reference, consumers }) => {
    const bare = await storm(reference, consumers);
    const own = await storm(service, consumers);
    return {
      table: { service: own, 'raw-spec': bare },
      figures: [
        { name: 'p99 of GET /me in the storm, ms', value: own.p99, atMost: 15 },
        { name: 'p99 of GET /me in the storm ÷ raw-spec', value: own.p99 / bare.p99, atMost: 2 },
        { name: 'login rate kept', value: own['login rate kept'], atLeast: 0.95 },
        { name: 'share of the reads left out', value: own['left out'], atMost: 0.25 },
      ],
    };
  });

/**
 * Logins come in all the time, and reads with them every other four seconds, since the machine's speed changes meanwhile.
 *
 * @param {import('../support/rig.mjs').Rig['reference']} server
 * @param {import('../support/rig.mjs').Rig['consumers']} consumers
 */
async function storm(server, consumers) {
  const { baseUrl, headers } = server;
  const [reader, ...others] = await logIn(server, consumers);
  if (!reader) throw new Error('No consumer');
  const request = meRequest(headers, reader);
  const requests = others.map((consumer) => loginRequest(headers, consumer));
  const logins = { baseUrl, connections: LOGINS_AT_ONCE, requests, expectedStatus: 200 };
  await withFreeHash(async () => {
    await applyLoad({ ...logins, seconds: WARM_UP_SECONDS });
    await applyLoad({ ...logins, requests: [request], seconds: READS_WARM_UP_SECONDS });
    await applySchedule({ baseUrl, request, ...SENDER_WARM_UP });
  });
  const seconds = ROUNDS * 2 * SECONDS + 2 * EDGE_SECONDS;
  const [{ answeredAt }, { reads, alone, together }] = await Promise.all([
    applyLoad({ ...logins, seconds, withTimes: true }),
    readInTurn({ baseUrl, request, perSecond: ME_PER_SECOND, seconds: SECONDS }),
  ]);
  const all = reads.flatMap((read) => read.all);
  const undisturbed = reads.flatMap((read) => read.undisturbed);
  const rate = ratePerSecond(answeredAt, together);
  const rateAlone = ratePerSecond(answeredAt, alone);
  return {
    ...percentiles(undisturbed),
    'p99 of all': percentiles(all).p99,
    'left out': 1 - undisturbed.length / all.length,
    'logins/s': rate,
    'logins/s alone': rateAlone,
    'login rate kept': rate / rateAlone,
  };
}

/** @typedef {{ from: number, to: number, stolen: number }} Span by `monotonicMs`, and what of it the processors lost together */

/** @param {import('../support/load.mjs').Schedule} schedule */
async function readInTurn(schedule) {
  const reads = [];
  /** @type {Span[]} */
  const alone = [];
  /** @type {Span[]} */
  const together = [];
  await sleep(EDGE_SECONDS * 1000);
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await settledSpan());
    const [span, read] = await Promise.all([settledSpan(), applySchedule(schedule)]);
    together.push(span);
    reads.push(read);
  }
  return { reads, alone, together };
}

/** @returns {Promise<Span>} */
async function settledSpan() {
  await sleep(SETTLING_MS);
  const from = monotonicMs();
  const stolenBefore = stolenMs();
  await sleep(SECONDS * 1000 - SETTLING_MS);
  return { from, to: monotonicMs(), stolen: stolenMs() - stolenBefore };
}

/**
 * Of the time that the machine had, since what the hypervisor gives to others falls on either kind of span by chance.
 *
 * @param {number[]} times
 * @param {Span[]} spans
 */
function ratePerSecond(times, spans) {
  if ((times.at(-1) ?? 0) < (spans.at(-1)?.to ?? Infinity)) throw new Error('The logins ended too early');
  const count = times.filter((time) => spans.some(({ from, to }) => from <= time && time < to)).length;
  const hadMs = spans.reduce((sum, { from, to, stolen }) => sum + to - from - stolen / availableParallelism(), 0);
  return (count * 1000) / hadMs;
}
