import { hashesPerSecond } from '../reference/hash-limit.mjs';
import { loginRequest } from '../support/consumers.mjs';
import { measured, measureInTurn, totalMs } from '../support/measurement.mjs';
import { withRig } from '../support/rig.mjs';
import { BCRYPT_COST } from '../support/service.mjs';
import { median } from '../support/statistics.mjs';

export const title = 'POST /login, beside the hash alone and beside the same rules without a framework';

const LOAD = { connections: 16, expectedStatus: 200 };
const SECONDS = 10;
const FREE_HASH_SECONDS = 5;
const LIMIT_SECONDS = 5;
const ROUNDS = 7;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  const rates = await withRig({}, async ({ service, postgres, consumers }) => {
    const requests = consumers.map((consumer) => loginRequest(service.headers, consumer));
    const load = { ...LOAD, server: service, seconds: SECONDS, requests };
    await measured(load, postgres.processorMs);
    const rounds = [];
    let before = await hashesPerSecond(BCRYPT_COST, LIMIT_SECONDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { perSecond } = await measured(load, postgres.processorMs);
      const after = await hashesPerSecond(BCRYPT_COST, LIMIT_SECONDS);
      // The machine's speed changes while the logins are measured: what it was before and after counts.
      const limit = (before + after) / 2;
      rounds.push({ perSecond, limit, share: perSecond / limit });
      before = after;
    }
    const share = median(rounds.map((round) => round.share));
    return rounds.find((round) => round.share === share) ?? { perSecond: NaN, limit: NaN, share };
  });
  const overheads = await withRig({ freeHash: true }, ({ service, reference, postgres, consumers }) => {
    const requests = consumers.map((consumer) => loginRequest(service.headers, consumer));
    const load = { ...LOAD, seconds: FREE_HASH_SECONDS, requests };
    const loads = { service: { ...load, server: service }, 'raw-spec': { ...load, server: reference } };
    return measureInTurn(loads, postgres.processorMs);
  });
  const { service: own, 'raw-spec': bare } = overheads;
  return {
    table: {
      'hash alone in two threads': { perSecond: rates.limit },
      'logins with the hash': { perSecond: rates.perSecond },
      'hash made free: service': own,
      'hash made free: raw-spec': bare,
    },
    figures: [
      { name: 'logins a second ÷ hash limit', value: rates.share, atLeast: 0.93 },
      { name: 'processor time of a login beyond its hash ÷ raw-spec', value: totalMs(own) / totalMs(bare), atMost: 2 },
    ],
  };
}
