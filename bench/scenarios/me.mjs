// GET /me beside the same rules without a framework.
import { logIn, meRequest } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { inTurn, rateOf } from '../support/load.mjs';
import { withServers } from '../support/servers.mjs';

const LOAD = { connections: 32, seconds: 8 };

export const measure = () =>
  withServers(async ({ service, rawSpec, consumers }) => {
    const own = consumers.map((consumer) => meRequest(service, consumer));
    const bare = (await logIn(rawSpec, consumers)).map((consumer) => meRequest(rawSpec, consumer));
    const rates = await inTurn({
      service: () => rateOf(service, { ...LOAD, requests: own }),
      rawSpec: () => rateOf(rawSpec, { ...LOAD, requests: bare }),
    });
    const name = 'GET /me a second ÷ raw-spec';
    return [{ name, atLeast: 0.6, ...ratio(rates.service, rates.rawSpec, '/s') }];
  });
