import { measureInTurn } from '../support/measurement.mjs';
import { withRig } from '../support/rig.mjs';

export const title = 'GET /reference/countries, whole and unchanged, beside the same bytes without a framework';

const PATH = '/api/v1/reference/countries';
const LOAD = { connections: 32, seconds: 5 };

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export const measure = () =>
  withRig({}, async ({ service, reference, postgres }) => {
    const whole = (/** @type {typeof reference} */ server) => ({
      ...LOAD,
      server,
      expectedStatus: 200,
      requests: [{ method: 'GET', path: PATH, headers: server.headers }],
    });
    const unchanged = async (/** @type {typeof reference} */ server) => {
      const { headers } = await fetch(server.baseUrl + PATH, { headers: server.headers });
      const conditional = { ...server.headers, 'If-None-Match': headers.get('etag') ?? '' };
      return {
        ...LOAD,
        server,
        expectedStatus: 304,
        requests: [{ method: 'GET', path: PATH, headers: conditional }],
      };
    };
    const loads = {
      '200 service': whole(service),
      '200 raw-spec': whole(reference),
      '304 service': await unchanged(service),
      '304 raw-spec': await unchanged(reference),
    };
    const costs = await measureInTurn(loads, postgres.processorMs);
    const ratio = (/** @type {'200' | '304'} */ status) =>
      costs[`${status} service`].perSecond / costs[`${status} raw-spec`].perSecond;
    return {
      table: costs,
      figures: [
        { name: 'countries 200 a second ÷ raw-spec', value: ratio('200'), atLeast: 0.4 },
        { name: 'countries 304 a second ÷ raw-spec', value: ratio('304'), atLeast: 0.4 },
      ],
    };
  });
