// How long an operator waits for one consumer among ten million: the search, and then the consumer's page.
import { registerConsumers } from '../support/consumers.mjs';
import { LARGE, populate, SETTINGS } from '../support/population.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { freePort } from '../support/processes.mjs';
import { startService } from '../support/servers.mjs';

const SEARCHES = 200;
const GOAL_MS = 50;

export async function measure() {
  const postgres = await startPostgres(SETTINGS);
  const console = { CONSOLE_PORT: String(await freePort()), CONSOLE_URL: '' };
  console.CONSOLE_URL = `http://127.0.0.1:${console.CONSOLE_PORT}`;
  const service = await startService(postgres, { freeHash: true, env: console });
  try {
    await registerConsumers(service, 1);
    await populate(postgres.url, LARGE);
    const { link } = service.cli('operator', 'invite', 'bench@example.com', '--role', 'SUPPORT');
    const cookie = await signIn(link);
    const found = await query(postgres.url, 'SELECT value FROM identifier ORDER BY md5(value) LIMIT $1', [SEARCHES]);
    /** @type {Record<'searches' | 'pages', number[]>} */
    const times = { searches: [], pages: [] };
    for (const { value } of found) {
      const body = new URLSearchParams({ form: crypto.randomUUID(), search: value });
      const location = await timed(times.searches, `${console.CONSOLE_URL}/consumers`, 303, { cookie, body });
      await timed(times.pages, console.CONSOLE_URL + location, 200, { cookie });
    }
    const at = `at ${LARGE.toLocaleString('en')} consumers, ms`;
    return [
      { name: `search in the console ${at}`, atMost: GOAL_MS, ...usual(times.searches) },
      { name: `the consumer's page ${at}`, atMost: GOAL_MS, ...usual(times.pages) },
    ];
  } finally {
    await service.stop();
    postgres.stop();
  }
}

/** @param {string} link */
async function signIn(link) {
  const { headers } = await fetch(link, {
    ...{ method: 'POST', redirect: 'manual', headers: { 'Sec-Fetch-Site': 'same-origin' } },
  });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/**
 * Where the answer leads, which must have this status.
 *
 * @param {number[]} times
 * @param {string} url
 * @param {number} status
 * @param {{ cookie: string, body?: URLSearchParams }} request
 */
async function timed(times, url, status, { cookie, body }) {
  const begun = performance.now();
  const answer = await fetch(url, {
    ...{ method: body ? 'POST' : 'GET', redirect: 'manual', ...(body && { body }) },
    headers: { cookie, 'Sec-Fetch-Site': 'same-origin' },
  });
  await answer.text();
  times.push(performance.now() - begun);
  if (answer.status !== status) throw new Error(`${url} answered ${answer.status}`);
  return answer.headers.get('location') ?? '';
}

/** The median: other work of the machine is in the slowest ones. @param {number[]} times */
function usual(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.floor(part * (sorted.length - 1))] ?? NaN;
  return { value: at(0.5), madeOf: `median of ${times.length}; 99th percentile ${at(0.99).toFixed(1)} ms` };
}
