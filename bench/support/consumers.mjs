import { randomUUID } from 'node:crypto';
import { sender } from './client.mjs';

export const PASSWORD = 'a password for the benchmark';

/**
 * @typedef {{ email: string, token: string }} BenchConsumer
 * @typedef {import('./load.mjs').LoadRequest} LoadRequest
 */

/** Fewer than the passwords of one touchpoint that may wait. */
const AT_ONCE = 16;

/**
 * Registers consumers over HTTP.
 *
 * @param {{ baseUrl: string, headers: Record<string, string> }} service
 * @param {number} count
 * @returns {Promise<BenchConsumer[]>}
 */
export async function registerConsumers({ baseUrl, headers }, count) {
  const send = sender(baseUrl, headers);
  /** @type {BenchConsumer[]} */
  const consumers = [];
  const register = async () => {
    const email = `ada-${randomUUID()}@example.com`;
    const body = { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email, password: PASSWORD };
    const { token } = await send('POST', '/api/v1/register', { body });
    return { email, token };
  };
  while (consumers.length < count) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - consumers.length) }, register);
    consumers.push(...(await Promise.all(batch)));
  }
  return consumers;
}

/**
 * The same consumers with tokens of this server.
 *
 * @param {{ baseUrl: string, headers: Record<string, string> }} server
 * @param {BenchConsumer[]} consumers
 * @returns {Promise<BenchConsumer[]>}
 */
export async function logIn({ baseUrl, headers }, consumers) {
  const send = sender(baseUrl, headers);
  const loggedIn = [];
  for (const { email } of consumers) {
    const { token } = await send('POST', '/api/v1/login', { body: { identifier: email, password: PASSWORD } });
    loggedIn.push({ email, token });
  }
  return loggedIn;
}

/**
 * @param {Record<string, string>} headers
 * @param {BenchConsumer} consumer
 * @returns {LoadRequest}
 */
export const meRequest = (headers, { token }) => ({
  method: 'GET',
  path: '/api/v1/me',
  headers: { ...headers, Authorization: `Bearer ${token}` },
});

/**
 * @param {Record<string, string>} headers
 * @param {BenchConsumer} consumer
 * @returns {LoadRequest}
 */
export const loginRequest = (headers, { email }) => ({
  method: 'POST',
  path: '/api/v1/login',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify({ identifier: email, password: PASSWORD }),
});
