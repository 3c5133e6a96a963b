// How long requests wait while an audit trail of ten million rows gets its months.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginRequest, registerConsumers, send } from '../support/consumers.mjs';
import { LARGE, SETTINGS } from '../support/population.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/servers.mjs';

const STEPS = ['0023-audit-partitions', '0022-audit-checks', '0021-audit-until'];
const LOGINS_A_SECOND = 20;
const GOAL_MS = 1_000;

const ROWS = `
  INSERT INTO audit_event (id, occurred_at, type, actor, touchpoint, request_id, consumer_id, details)
  SELECT gen_random_uuid(), now() - n * interval '3 seconds', 'consumer.logged-in', 'touchpoint', 'bench',
    md5(n::text), md5((n % 100000)::text)::uuid, '{"sessionId": "0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11"}'
  FROM generate_series(1, ${LARGE}) AS n`;

export async function measure() {
  const postgres = await startPostgres(SETTINGS);
  const service = await startService(postgres, { freeHash: true });
  try {
    const [consumer] = await registerConsumers(service, 1);
    for (const step of STEPS) {
      await query(postgres.url, readFileSync(`migrations/${step}.down.sql`, 'utf8'));
      await query(postgres.url, 'DELETE FROM migration WHERE name LIKE $1', [`${step}-%`]);
    }
    await query(postgres.url, ROWS);
    await query(postgres.url, 'CHECKPOINT');
    const login = loginRequest(service, consumer ?? { email: '', token: '' });
    const migrated = new AbortController();
    const waiting = logins(service, login, migrated.signal);
    const begun = performance.now();
    await service.migrate();
    const seconds = (performance.now() - begun) / 1000;
    await sleep(1_000);
    migrated.abort();
    const times = (await waiting).sort((a, b) => a - b);
    const madeOf = `${times.length} logins, 0 failed, in a migration of ${seconds.toFixed(1)} s; median ${times[times.length >> 1]?.toFixed(1)} ms`;
    const name = `longest login while ${LARGE.toLocaleString('en')} rows get months, ms`;
    return [{ name, atMost: GOAL_MS, value: times.at(-1) ?? NaN, madeOf }];
  } finally {
    await service.stop();
    postgres.stop();
  }
}

/**
 * How long each took from when it was due, in milliseconds; one that fails is an error.
 *
 * @param {import('../support/servers.mjs').Service} service
 * @param {import('../support/consumers.mjs').Request} request
 * @param {AbortSignal} ended
 */
async function logins(service, request, ended) {
  /** @type {Promise<number>[]} */
  const answers = [];
  const startedAt = performance.now();
  while (!ended.aborted) {
    const due = startedAt + (answers.length * 1000) / LOGINS_A_SECOND;
    await sleep(Math.max(0, due - performance.now()));
    answers.push(send(service, request).then(() => performance.now() - due));
  }
  return Promise.all(answers);
}
