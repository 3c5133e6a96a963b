// GET /me at 50 a second while 16 logins run at once without pause.
import { logIn, loginRequest, meRequest } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { applyLoad, inTurn, p99AtPace } from '../support/load.mjs';
import { withServers } from '../support/servers.mjs';

const READS_PER_SECOND = 50;
const LOGINS_AT_ONCE = 16;
const SECONDS = 15;

export const measure = () =>
  withServers(async ({ service, rawSpec, consumers }) => {
    const p99 = await inTurn({
      service: () => storm(service, consumers),
      rawSpec: () => storm(rawSpec, consumers),
    });
    const name = 'p99 of GET /me in a login storm ÷ raw-spec';
    return [{ name, atMost: 2, ...ratio(p99.service, p99.rawSpec, 'ms') }];
  });

/**
 * @param {import('../support/servers.mjs').Server} server
 * @param {import('../support/consumers.mjs').Consumer[]} consumers
 */
async function storm(server, [reader, ...others]) {
  if (!reader) throw new Error('No consumer');
  const [loggedIn] = await logIn(server, [reader]);
  const request = meRequest(server, loggedIn ?? reader);
  const logins = others.map((consumer) => loginRequest(server, consumer));
  const [p99] = await Promise.all([
    p99AtPace(server, { request, perSecond: READS_PER_SECOND, seconds: SECONDS }),
    applyLoad(server, { requests: logins, connections: LOGINS_AT_ONCE, seconds: SECONDS }),
  ]);
  return p99;
}
