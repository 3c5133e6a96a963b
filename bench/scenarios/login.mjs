import { loginRequest } from '../support/consumers.mjs';
import { shareOfHashLimit } from '../support/hash-share.mjs';
import { WARM_UP_SECONDS, withFreeHash } from '../support/hash-switch.mjs';
import { measureInTurn, totalMs } from '../support/measurement.mjs';
import { withRig } from '../support/rig.mjs';

export const title = 'POST /login, beside the hash alone and beside the same rules without a framework';

const LOAD = { connections: 16, expectedStatus: 200 };
const FREE_HASH_SECONDS = 5;
/** The ratio is close to its goal, so more rounds than usual. */
const OVERHEAD = { rounds: 5, warmUpSeconds: WARM_UP_SECONDS };

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({ switchableHash: true }, async ({ service, reference, postgres, consumers }) => {
    const load = { ...LOAD, requests: consumers.map((consumer) => loginRequest(service.headers, consumer)) };
    const free = { ...load, seconds: FREE_HASH_SECONDS };
    const loads = { service: { ...free, server: service }, 'raw-spec': { ...free, server: reference } };
    const overheads = await withFreeHash(() => measureInTurn(loads, postgres.processorMs, OVERHEAD));
    const { service: own, 'raw-spec': bare } = overheads;
    const ownShare = await shareOfHashLimit({ ...load, server: service });
    const bareShare = await shareOfHashLimit({ ...load, server: reference });
    return {
      table: {
        'with the hash: service': ownShare,
        'with the hash: raw-spec': bareShare,
        'hash made free: service': own,
        'hash made free: raw-spec': bare,
      },
      figures: [
        { name: 'logins a second ÷ hash limit', value: ownShare.share, atLeast: 0.93 },
        { name: "raw-spec's logins a second ÷ hash limit", value: bareShare.share },
        {
          name: 'processor time of a login beyond its hash ÷ raw-spec',
          value: totalMs(own) / totalMs(bare),
          atMost: 2,
        },
      ],
    };
  });
