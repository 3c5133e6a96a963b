import { hashesPerSecond } from '../reference/hash-limit.mjs';
import { measured } from './measurement.mjs';
import { BCRYPT_COST } from './service.mjs';
import { median } from './statistics.mjs';

const SECONDS = 15;
/** Short, since V8 tidies up in a process that is idle, and has to make its fast code anew. */
const LIMIT_SECONDS = 4;
/** Many, since the machine's speed changes. */
const ROUNDS = 7;

/**
 * How many requests a second there are, each with a hash, and what part that is of the hashes that two threads can do:
 * the round of the median part.
 *
 * @param {Omit<import('./measurement.mjs').MeasuredLoad, 'seconds'>} load
 * @param {() => number | null} databaseProcessorMs
 */
export async function shareOfHashLimit(load, databaseProcessorMs) {
  const rounds = [];
  let before = await hashesPerSecond(BCRYPT_COST, LIMIT_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { perSecond } = await measured({ ...load, seconds: SECONDS }, databaseProcessorMs);
    const after = await hashesPerSecond(BCRYPT_COST, LIMIT_SECONDS);
    // The machine's speed changes while the requests are measured: what it was before and after counts.
    const limit = (before + after) / 2;
    rounds.push({ perSecond, limit, share: perSecond / limit });
    before = after;
  }
  const share = median(rounds.map((round) => round.share));
  return rounds.find((round) => round.share === share) ?? { perSecond: NaN, limit: NaN, share };
}
