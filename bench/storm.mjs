// How long GET /me takes at 50 requests a second while 16 logins run at once without pause.
import { setTimeout as sleep } from 'node:timers/promises';
import { sender } from './client.mjs';
import { percentiles, round } from './statistics.mjs';
import { startService } from './service.mjs';

const LOGINS_AT_ONCE = 16;
const ME_PER_SECOND = 50;
const WARM_UP_SECONDS = 3;
const SECONDS = 15;
const GOAL_P99_MS = 50;
const PASSWORD = 'a password for the benchmark';

/** @returns {Promise<boolean>} whether the goal holds */
export async function run() {
  const service = await startService();
  try {
    const { code, key } = service.cli(
      'touchpoint',
      'create',
      '--code',
      `storm-${process.pid}`,
      '--rate-limit',
      'unlimited',
    );
    const send = sender(service.baseUrl, { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
    const consumers = await Promise.all(
      Array.from({ length: LOGINS_AT_ONCE }, (_, index) =>
        registered(send, `storm-${process.pid}-${index}@example.com`),
      ),
    );
    const quiet = await pollMe(send, consumers[0]?.token ?? '', SECONDS);
    const storm = startLogins(send, consumers);
    await sleep(WARM_UP_SECONDS * 1000);
    storm.reset();
    const stormy = await pollMe(send, consumers[0]?.token ?? '', SECONDS);
    const logins = await storm.stop();
    const rows = [
      { load: 'none', ...percentiles(quiet), 'logins/s': 0 },
      { load: `${LOGINS_AT_ONCE} logins at once`, ...percentiles(stormy), 'logins/s': round(logins / SECONDS) },
    ];
    console.table(rows);
    const { p99 } = percentiles(stormy);
    console.log(`p99 of GET /me in the storm: ${p99} ms (goal: under ${GOAL_P99_MS} ms)`);
    return p99 < GOAL_P99_MS;
  } finally {
    await service.stop();
  }
}

/** @typedef {ReturnType<typeof import('./client.mjs').sender>} Send */

/**
 * @param {Send} send
 * @param {string} email
 * @returns {Promise<{ email: string, token: string }>}
 */
async function registered(send, email) {
  const body = { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email, password: PASSWORD };
  const { token } = await send('POST', '/api/v1/register', { body });
  return { email, token };
}

/**
 * @param {Send} send
 * @param {{ email: string }[]} consumers
 */
function startLogins(send, consumers) {
  let running = true;
  let count = 0;
  const loops = consumers.map(async ({ email }) => {
    while (running) {
      await send('POST', '/api/v1/login', { body: { identifier: email, password: PASSWORD } });
      count += 1;
    }
  });
  return {
    reset: () => {
      count = 0;
    },
    stop: async () => {
      running = false;
      const counted = count;
      await Promise.all(loops);
      return counted;
    },
  };
}

/**
 * Sends at fixed times and measures from those, so that a slow answer does not hide the ones behind it.
 *
 * @param {Send} send
 * @param {string} token
 * @param {number} seconds
 */
async function pollMe(send, token, seconds) {
  const interval = 1000 / ME_PER_SECOND;
  const start = performance.now();
  const answers = [];
  for (let index = 0; index < seconds * ME_PER_SECOND; index += 1) {
    const due = start + index * interval;
    await sleep(Math.max(0, due - performance.now()));
    const sent = performance.now();
    answers.push(send('GET', '/api/v1/me', { token }).then(() => performance.now() - sent));
  }
  return Promise.all(answers);
}
