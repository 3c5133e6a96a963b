// Plain JavaScript: a worker thread loads this file as it is, under test as in production.
import { setPriority } from 'node:os';
import bcrypt from 'bcryptjs';
import { matchesForeign } from './foreign-hash.mjs';

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
 * What does not match is compared with the decoys too, so that it takes as long as others.
 * @param {{ secret: string, hash: string | import('../foreign-hash.js').ForeignHash, decoys: string[] }} task
 * @returns {Promise<boolean>}
 */
export async function compare({ secret, hash, decoys }) {
  const equal = typeof hash === 'string' ? bcrypt.compareSync(secret, hash) : await matchesForeign(secret, hash);
  if (!equal) for (const decoy of decoys) bcrypt.compareSync(secret, decoy);
  return equal;
}
