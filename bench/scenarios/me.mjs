import { logIn, meRequest } from '../support/consumers.mjs';
import { measureInTurn, totalMs } from '../support/measurement.mjs';
import { withRig } from '../support/rig.mjs';

export const title = 'GET /me, beside the same rules without a framework';

const LOAD = { connections: 32, seconds: 6, expectedStatus: 200 };

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({}, async ({ service, reference, postgres, consumers }) => {
    const loadOf = async (/** @type {typeof reference} */ server) => ({
      ...LOAD,
      server,
      requests: (await logIn(server, consumers)).map((consumer) => meRequest(server.headers, consumer)),
    });
    const loads = { service: await loadOf(service), 'raw-spec': await loadOf(reference) };
    const costs = await measureInTurn(loads, postgres.processorMs);
    const { service: own, 'raw-spec': bare } = costs;
    return {
      table: costs,
      figures: [
        { name: 'GET /me a second ÷ raw-spec', value: own.perSecond / bare.perSecond, atLeast: 0.5 },
        { name: 'processor time of a GET /me ÷ raw-spec', value: totalMs(own) / totalMs(bare), atMost: 2 },
      ],
    };
  });
