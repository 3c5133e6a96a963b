// What the shop knows of a visitor, by a cookie that no script can read.
import { randomBytes } from 'node:crypto';

/**
 * @typedef {object} Session
 * @property {string} [id] absent while there is nothing to keep
 * @property {import('consumer-service-client').Consumer} [consumer] who is signed in; the token never reaches the browser
 * @property {Map<string, number>} cart how many of which product
 * @property {string} [notice] to be shown once
 * @property {{ registrationId: string, destination: string }} [registration] begun, and to be completed with a code
 * @property {{ recoveryId: string, destination: string }} [recovery]
 */

/**
 * In the memory of this process, where a restart forgets it. In production use `express-session` with a store that all
 * processes share, such as `connect-redis`: keep `consumer.toJSON()` in it, and call `Consumer.from` with that.
 * @type {Map<string, Session>}
 */
const sessions = new Map();
const MOST_SESSIONS = 10_000;

const isProduction = process.env.NODE_ENV === 'production';
// Browsers take a cookie with `__Host-` from this host alone, over HTTPS.
const COOKIE = isProduction ? '__Host-shop' : 'shop';
/** @type {import('express').CookieOptions} */
const OPTIONS = { httpOnly: true, sameSite: 'lax', secure: isProduction, path: '/' };

/** @type {WeakMap<import('express').Request, Session>} */
const ofRequests = new WeakMap();

/**
 * Finds the visitor's session, and keeps that of a consumer alive, who is active with every page.
 * @param {import('express').Request} request @param {unknown} _response @param {() => void} next
 */
export async function load(request, _response, next) {
  const [, id = ''] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '') ?? [];
  const session = sessions.get(id);
  if (session) {
    // The last one in the map is the one that was used last.
    sessions.delete(id);
    sessions.set(id, session);
    ofRequests.set(request, session);
    await session.consumer?.keepAlive();
  }
  next();
}

/** @param {import('express').Request} request @returns {Session} */
export const sessionOf = (request) => ofRequests.get(request) ?? { cart: new Map() };

/** @param {import('express').Request} request @param {import('express').Response} response */
export function keptSession(request, response) {
  const session = sessionOf(request);
  return session.id === undefined ? start(request, response, session) : session;
}

/**
 * Under a new id: whoever knew the id before, or chose it, does not get into the account (session fixation).
 * @param {import('express').Request} request @param {import('express').Response} response
 * @param {import('consumer-service-client').Consumer} consumer @param {string} notice
 */
export function signIn(request, response, consumer, notice) {
  start(request, response, { consumer, notice, cart: sessionOf(request).cart });
}

/** @param {import('express').Request} request @param {import('express').Response} response @param {string} notice */
export function end(request, response, notice) {
  start(request, response, { notice, cart: new Map() });
}

/** @param {import('express').Request} request @param {import('express').Response} response @param {Session} data */
function start(request, response, data) {
  sessions.delete(sessionOf(request).id ?? '');
  const id = randomBytes(32).toString('base64url');
  const session = { ...data, id };
  sessions.set(id, session);
  const [oldest = ''] = sessions.keys();
  if (sessions.size > MOST_SESSIONS) sessions.delete(oldest);
  ofRequests.set(request, session);
  response.cookie(COOKIE, id, OPTIONS);
  return session;
}
