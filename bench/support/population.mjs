import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program, withClient } from './postgres.mjs';

const LINES_AT_ONCE = 2_000;
const CREATED_AT = '2026-01-01T00:00:00Z';

/** A permutation of the 32-bit numbers, so that what is numbered lies in no order (the mixer of MurmurHash3).
 * @param {number} index */
function scattered(index) {
  let value = index | 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, '0');
}

/** Version 7: in the order of time, its tail in none.
 * @param {number} index
 * @param {number} table */
function idOf(index, table) {
  const time = (1_767_225_600_000 + index).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${table}00-8000-${scattered(index)}${scattered(~index).slice(0, 4)}`;
}

export const emailOf = (/** @type {number} */ index) => `c${scattered(index)}@example.com`;

/**
 * Fills a migrated database with consumers who all have the password of `passwordHash`, by COPY.
 *
 * @param {string} url
 * @param {number} count
 * @param {string} passwordHash
 */
export async function populate(url, count, passwordHash) {
  const index = 'identifier_value_key';
  const definition = await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT pg_get_indexdef($1::regclass) AS text', [index]);
    await client.query(`DROP INDEX ${index}`);
    return /** @type {string} */ (rows[0].text);
  });
  await copy(url, 'consumer (id, type, first_name, last_name, created_at, updated_at)', count, (number) =>
    [idOf(number, 0), 'PERSON', 'Ada', `Lovelace ${number}`, CREATED_AT, CREATED_AT].join('\t'),
  );
  await copy(url, 'identifier (id, consumer_id, kind, value, pending)', count, (number) =>
    [idOf(number, 1), idOf(number, 0), 'email', emailOf(number), 'f'].join('\t'),
  );
  await copy(url, 'credential (consumer_id, password_hash)', count, (number) =>
    [idOf(number, 0), passwordHash].join('\t'),
  );
  await withClient(url, async (client) => {
    await client.query(definition);
    await client.query('VACUUM ANALYZE consumer, identifier, credential');
  });
}

/**
 * @param {string} url
 * @param {string} target
 * @param {number} count
 * @param {(number: number) => string} lineOf
 */
async function copy(url, target, count, lineOf) {
  // Foreign keys are true by construction, and checking them would take most of the time.
  const statements = ['-c', 'SET session_replication_role = replica', '-c', `COPY ${target} FROM STDIN`];
  const child = spawn(program('psql'), [url, '-q', '-v', 'ON_ERROR_STOP=1', ...statements], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exit = once(child, 'exit');
  for (let first = 0; first < count; first += LINES_AT_ONCE) {
    const lines = Array.from({ length: Math.min(LINES_AT_ONCE, count - first) }, (_, offset) => lineOf(first + offset));
    if (!child.stdin.write(`${lines.join('\n')}\n`)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = await exit;
  if (code !== 0) throw new Error(`COPY ${target} failed`);
}
