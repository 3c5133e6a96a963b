// Plain JavaScript: a worker thread loads this file as it is, under test as in production.
import { setPriority } from 'node:os';
import bcrypt from 'bcryptjs';

// On Linux this lowers the thread alone, so that the event loop keeps its share of the processor.
if (process.platform === 'linux') setPriority(0, 10);

/**
 * @param {{ secret: string, cost: number }} task
 * @returns {string}
 */
export function hash({ secret, cost }) {
  return bcrypt.hashSync(secret, cost);
}

/**
 * @param {{ secret: string, hash: string }} task
 * @returns {boolean}
 */
export function compare({ secret, hash }) {
  return bcrypt.compareSync(secret, hash);
}
