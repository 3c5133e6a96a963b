import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithUs } from './end-with-us.mjs';

const START_DEADLINE_MS = 30_000;

/**
 * @typedef {{ baseUrl: string, pid: number, startedInMs: number, end: (signal?: NodeJS.Signals) => Promise<void> }} ServerProcess
 */

/**
 * Starts a Node program that listens on `PORT`, its output in a file as under a supervisor, and waits until
 * `readyPath` answers 200.
 *
 * @param {{ program: string[], env: Record<string, string | undefined>, port: number, directory: string, readyPath: string }} options
 * @returns {Promise<ServerProcess>}
 */
export async function startServer({ program, env, port, directory, readyPath }) {
  const output = openSync(join(directory, `output-${port}`), 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, program, {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', output, 'inherit'],
  });
  endWithUs(child);
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await answers(baseUrl + readyPath))) {
    if (child.exitCode !== null || performance.now() - startedAt > START_DEADLINE_MS) {
      child.kill('SIGKILL');
      throw new Error(`${program.join(' ')} did not become ready`);
    }
    await sleep(5);
  }
  return {
    baseUrl,
    pid: child.pid ?? 0,
    startedInMs: performance.now() - startedAt,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    },
  };
}

const answers = (/** @type {string} */ url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
