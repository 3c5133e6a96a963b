// GET /reference/countries, whole (200) and unchanged (304), beside the same bytes without a framework.
import { ratio } from '../support/figures.mjs';
import { inTurn, rateOf } from '../support/load.mjs';
import { withServers } from '../support/servers.mjs';

const PATH = '/api/v1/reference/countries';
const LOAD = { connections: 32, seconds: 5 };

export const measure = () =>
  withServers(async ({ service, rawSpec }) => {
    const { service200, rawSpec200, service304, rawSpec304 } = await inTurn({
      service200: () => whole(service),
      rawSpec200: () => whole(rawSpec),
      service304: () => unchanged(service),
      rawSpec304: () => unchanged(rawSpec),
    });
    return [
      {
        name: 'countries 200 a second ÷ raw-spec',
        atLeast: 0.35,
        ...ratio(service200, rawSpec200, '/s'),
      },
      {
        name: 'countries 304 a second ÷ raw-spec',
        atLeast: 0.35,
        ...ratio(service304, rawSpec304, '/s'),
      },
    ];
  });

/** @param {import('../support/servers.mjs').Server} server */
const whole = (server) =>
  rateOf(server, { ...LOAD, requests: [{ method: 'GET', path: PATH, headers: server.headers }] });

/** @param {import('../support/servers.mjs').Server} server */
async function unchanged(server) {
  const { headers: answered } = await fetch(server.baseUrl + PATH, { headers: server.headers });
  const headers = { ...server.headers, 'If-None-Match': answered.get('etag') ?? '' };
  return rateOf(server, { ...LOAD, status: 304, requests: [{ method: 'GET', path: PATH, headers }] });
}
