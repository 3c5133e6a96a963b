import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MARK = join(tmpdir(), `bench-free-hash-${process.pid}`);
/** More than a server takes to see that it has changed. */
const CHANGE_MS = 100;

// An earlier process of this id may have been stopped halfway.
rmSync(MARK, { force: true });

/** What a server is started with whose hashes can be made free. */
export const SWITCHABLE_HASH = {
  flags: ['--import', resolve(import.meta.dirname, 'free-hash.mjs')],
  env: { FREE_HASH_WHILE: MARK },
};

/**
 * Runs `work` while hashes cost nothing: to measure everything else, or to let a server become as fast as it gets, which
 * takes thousands of requests.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withFreeHash(work) {
  writeFileSync(MARK, '');
  try {
    await sleep(CHANGE_MS);
    return await work();
  } finally {
    rmSync(MARK);
    await sleep(CHANGE_MS);
  }
}
