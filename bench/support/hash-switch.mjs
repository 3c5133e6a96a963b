import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MARK = join(tmpdir(), `bench-free-hash-${process.pid}`);

/**
 * For how long logins or registrations come in before they are measured: a service that has been running for days is
 * what is meant, and V8 goes on compiling. Between hashes, the event loop and V8's threads spent 4.9 ms on a login after
 * 25 seconds of them, and 3.7 after 150, in one run each.
 */
export const WARM_UP_SECONDS = 120;

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
