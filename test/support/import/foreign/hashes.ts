import { createCipheriv, createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { argon2i, argon2id } from 'hash-wasm';

// What other systems make of a password. The costs of the tests are low but for a few, because there are thousands.

/** Many people have the same password, and making its hash takes milliseconds. */
const made = new Map<string, unknown>();

function once<T>(key: unknown[], make: () => T): T {
  const name = JSON.stringify(key);
  if (!made.has(name)) made.set(name, make());
  return made.get(name) as T;
}

export const bcryptHash = (password: string, cost = 4, version = '2a'): string =>
  once(['bcrypt', password, cost], () => bcrypt.hashSync(password, cost)).replace(/^\$2b\$/, `$${version}$`);

export interface Argon2Cost {
  memory: number;
  iterations: number;
  parallelism: number;
}

export const CHEAP_ARGON2: Argon2Cost = { memory: 64, iterations: 1, parallelism: 1 };

/** Salt and hash. */
export const argon2 = (
  password: string,
  cost: Argon2Cost = CHEAP_ARGON2,
  variant: 'argon2id' | 'argon2i' = 'argon2id',
): Promise<{ salt: Buffer; hash: Buffer }> =>
  once([variant, password, cost], () => makeArgon2(password, cost, variant));

async function makeArgon2(
  password: string,
  { memory, iterations, parallelism }: Argon2Cost,
  variant: 'argon2id' | 'argon2i',
): Promise<{ salt: Buffer; hash: Buffer }> {
  const salt = randomBytes(16);
  const hash = await (variant === 'argon2id' ? argon2id : argon2i)({
    password,
    salt,
    memorySize: memory,
    iterations,
    parallelism,
    hashLength: 32,
    outputType: 'binary',
  });
  return { salt, hash: Buffer.from(hash) };
}

/** In the PHC string format. */
export async function argon2Text(
  password: string,
  cost: Argon2Cost = CHEAP_ARGON2,
  variant: 'argon2id' | 'argon2i' = 'argon2id',
): Promise<string> {
  const { salt, hash } = await argon2(password, cost, variant);
  const { memory, iterations, parallelism } = cost;
  return `$${variant}$v=19$m=${memory},t=${iterations},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

export function pbkdf2(password: string, digest: string, iterations: number, length: number) {
  const salt = randomBytes(16);
  return { salt, hash: pbkdf2Sync(password, salt, iterations, length, digest) };
}

export function pbkdf2Text(password: string, digest: string, iterations: number, length = 32): string {
  const { salt, hash } = pbkdf2(password, digest, iterations, length);
  return `$pbkdf2-${digest}$i=${iterations},l=${length}$${unpadded(salt)}$${unpadded(hash)}`;
}

export function scrypt(password: string, N: number, r = 8, p = 1) {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, 32, { N, r, p, maxmem: 2 ** 28 }) };
}

/** The password hash parameters of a Firebase project. */
export interface FirebaseProject {
  signerKey: Buffer;
  separator: Buffer;
  rounds: number;
  memCost: number;
}

export const firebaseProject = (rounds: number, memCost: number): FirebaseProject => ({
  signerKey: randomBytes(64),
  separator: Buffer.from('Bw==', 'base64'),
  rounds,
  memCost,
});

/** Firebase's own scrypt (github.com/firebase/scrypt). */
export function firebaseScrypt(password: string, { signerKey, separator, rounds, memCost }: FirebaseProject) {
  const salt = randomBytes(10);
  const cost = { N: 2 ** memCost, r: rounds, p: 1, maxmem: 2 ** 28 };
  const key = scryptSync(password, Buffer.concat([salt, separator]), 32, cost);
  return { salt, hash: createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signerKey) };
}

export const sha2 = (digest: string, ...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash(digest)).digest();

export const base64 = (bytes: Buffer): string => bytes.toString('base64');
export const unpadded = (bytes: Buffer): string => base64(bytes).replace(/=+$/, '');
