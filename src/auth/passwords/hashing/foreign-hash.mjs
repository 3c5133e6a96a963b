// Plain JavaScript, like the worker thread that loads it: the algorithms of other systems' password hashes.
import { createCipheriv, createHash, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';

/** @typedef {import('../foreign-hash.js').ForeignHash} ForeignHash */

/**
 * @param {string} password
 * @param {ForeignHash} foreign
 * @returns {Promise<boolean>}
 */
export async function matchesForeign(password, foreign) {
  // Nobody's password is empty, and hash-wasm refuses to hash it.
  return password !== '' && timingSafeEqual(await hashed(password, foreign), foreign.hash);
}

/**
 * @param {string} password
 * @param {ForeignHash} foreign
 * @returns {Promise<Uint8Array>}
 */
async function hashed(password, foreign) {
  switch (foreign.scheme) {
    case 'argon2id':
    case 'argon2i': {
      // Half a megabyte of WebAssembly, for those threads that meet such a hash.
      const { argon2i, argon2id } = await import('hash-wasm');
      return (foreign.scheme === 'argon2i' ? argon2i : argon2id)({
        password,
        salt: foreign.salt,
        memorySize: foreign.memoryKib,
        iterations: foreign.passes,
        parallelism: foreign.lanes,
        hashLength: foreign.hash.length,
        outputType: 'binary',
      });
    }
    case 'pbkdf2':
      return pbkdf2Sync(password, foreign.salt, foreign.iterations, foreign.hash.length, foreign.digest);
    case 'scrypt':
      return derived(password, foreign.salt, foreign.hash.length, foreign);
    case 'fbscrypt': {
      const key = derived(password, Buffer.concat([foreign.salt, foreign.separator]), 32, foreign);
      return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(foreign.signerKey);
    }
    case 'sha2': {
      const hash = createHash(foreign.digest);
      for (const part of foreign.template.split(/(\{SALT\}|\{PASSWORD\})/)) {
        hash.update(part === '{SALT}' ? foreign.salt : part === '{PASSWORD}' ? password : part);
      }
      return hash.digest();
    }
  }
}

/**
 * @param {string} password
 * @param {Uint8Array} salt
 * @param {number} length
 * @param {{ log2N: number, r: number, p: number }} cost
 * @returns {Buffer}
 */
function derived(password, salt, length, { log2N, r, p }) {
  const N = 2 ** log2N;
  return scryptSync(password, salt, length, { N, r, p, maxmem: 128 * r * (N + p + 2) + 1024 });
}
