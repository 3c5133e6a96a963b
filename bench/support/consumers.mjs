import { randomUUID } from 'node:crypto';

export const PASSWORD = 'a password for the benchmark';
/** Fewer than the passwords of one touchpoint that may wait to be hashed. */
const AT_ONCE = 16;

/**
 * @typedef {{ email: string, token: string }} Consumer
 * @typedef {{ baseUrl: string, headers: Record<string, string> }} Target
 * @typedef {{ method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string }} Request
 */

/** @param {string} email */
export const person = (email) => ({ type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email });

/**
 * @param {Target} target
 * @param {string} path
 * @param {object} body
 * @returns {Request}
 */
export const postRequest = ({ headers }, path, body) => ({
  method: 'POST',
  path,
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * @param {Target} target
 * @param {Consumer} consumer
 */
export const loginRequest = (target, { email }) =>
  postRequest(target, '/api/v1/login', { identifier: email, password: PASSWORD });

/**
 * @param {Target} target
 * @param {Consumer} consumer
 * @returns {Request}
 */
export const meRequest = ({ headers }, { token }) => ({
  method: 'GET',
  path: '/api/v1/me',
  headers: { ...headers, Authorization: `Bearer ${token}` },
});

/**
 * Sends one request; anything but success is an error.
 *
 * @param {Target} target
 * @param {Request} request
 * @returns {Promise<any>}
 */
export async function send({ baseUrl }, { path, ...request }) {
  const response = await fetch(baseUrl + path, request);
  const answer = await response.json();
  if (!response.ok) throw new Error(`${request.method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/**
 * @param {Target} target
 * @param {number} count
 */
export async function registerConsumers(target, count) {
  const register = async () => {
    const email = `ada-${randomUUID()}@example.com`;
    const { token } = await send(
      target,
      postRequest(target, '/api/v1/register', { ...person(email), password: PASSWORD }),
    );
    return { email, token };
  };
  /** @type {Consumer[]} */
  const consumers = [];
  while (consumers.length < count) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - consumers.length) }, register);
    consumers.push(...(await Promise.all(batch)));
  }
  return consumers;
}

/**
 * The same consumers with tokens of this server.
 *
 * @param {Target} target
 * @param {Consumer[]} consumers
 */
export async function logIn(target, consumers) {
  /** @type {Consumer[]} */
  const loggedIn = [];
  for (const consumer of consumers) {
    const { token } = await send(target, loginRequest(target, consumer));
    loggedIn.push({ ...consumer, token });
  }
  return loggedIn;
}
