// How many bytes on disk a consumer, a session and a login take, with their indexes.
import { logIn, registerConsumers } from '../support/consumers.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/servers.mjs';

/** Enough that what an empty table takes does not count. */
const CONSUMERS = 10_000;

/** Tables by what makes a row of them, and the bytes that one may take. */
const KINDS = [
  { name: 'consumer', tables: ['consumer', 'identifier', 'credential', 'consumer_version'], atMost: 1_500 },
  { name: 'session', tables: ['session'], atMost: 500 },
  { name: 'act in the audit trail', tables: ['audit_event'], atMost: 800 },
  { name: 'event for subscribers', tables: ['event'], atMost: 500 },
];

const SIZES = `
  SELECT sum(pg_total_relation_size(held.oid)) AS bytes
  FROM pg_class held LEFT JOIN pg_inherits ON inhrelid = held.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
  WHERE held.relkind = 'r' AND (held.relname = ANY($1) OR parent.relname = ANY($1))`;

export async function measure() {
  const postgres = await startPostgres();
  const service = await startService(postgres, { freeHash: true });
  try {
    await logIn(service, await registerConsumers(service, CONSUMERS));
    // Numbers the events that have been written.
    service.cli('subscriber', 'create', '--code', 'bench');
    const figures = [];
    for (const { name, tables, atMost } of KINDS) {
      await query(postgres.url, `VACUUM ${tables.join(', ')}`);
      /** @type {{ bytes: string }[]} */
      const [size] = await query(postgres.url, SIZES, [tables]);
      /** @type {{ count: string }[]} */
      const [rows] = await query(postgres.url, `SELECT count(*) FROM ${tables[0]}`);
      const bytes = Number(size?.bytes);
      const count = Number(rows?.count);
      const madeOf = `${(bytes / 1e6).toFixed(1)} MB ÷ ${count.toLocaleString('en')}`;
      figures.push({ name: `bytes on disk: ${name}`, atMost, value: bytes / count, madeOf });
    }
    return figures;
  } finally {
    await service.stop();
    postgres.stop();
  }
}
