// What the layers do not see: every table has an owner, its name stands only in the owner's folder, statements only in
// repositories, and no program has more than 250 lines.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const MAX_LINES = 250;

/** The folder of `src/` that owns each table. @type {Record<string, string>} */
const OWNERS = {
  activity: 'audit',
  audit_event: 'audit',
  touchpoint: 'touchpoints',
  touchpoint_key: 'touchpoints',
  identity_provider: 'touchpoints',
  event_pending: 'events/log',
  event: 'events/log',
  event_head: 'events/log',
  consumer_version: 'events/log',
  subscriber: 'events',
  webhook: 'events/webhooks',
  subscriber_key: 'events/subscribers',
  consumer: 'profiles',
  identifier: 'auth/identifiers',
  credential: 'auth/passwords',
  session: 'auth/sessions',
  login_attempt: 'auth/login',
  known_address: 'auth/login',
  external_identity: 'auth/assertions',
  used_assertion: 'auth/assertions',
  challenge: 'verification',
  send_limit: 'verification/sending',
  send_allowance: 'verification/sending',
  pending_registration: 'consumers/registration',
  idempotency_record: 'consumers/idempotency',
  recovery: 'consumers/recovery',
  import_run: 'consumers/transfer',
  message: 'messages/queue',
  operator: 'operators',
  sign_in_link: 'operators',
  operator_session: 'operators',
  spent_form: 'operators',
  scheduled_job: 'platform/jobs',
  sandbox_clock: 'sandbox',
  sandbox_message: 'sandbox',
  sandbox_key: 'sandbox',
};

/** Parts of a table, made by a migration. */
const PARTITIONS = new Set(['audit_event_rest']);
/** Made from `docs/openapi.json`. */
const GENERATED = /^clients\/typescript\/src\/schema\.ts$/;

/** Where a statement names a table, or a list of tables does. */
const NAMED = new RegExp(
  `\\b(?:FROM|JOIN|INTO|UPDATE|TABLE|ONLY)\\s+(?:ONLY\\s+)?(${Object.keys(OWNERS).join('|')})\\b|'(${Object.keys(OWNERS)
    .filter((name) => name.includes('_'))
    .join('|')})'`,
  'g',
);
const STATEMENT = /\.query(?:<[^(]*>)?\(/g;
/** By the class of its entity. */
const TABLES = new Map(
  Object.keys(OWNERS).map((table) => [table.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase()), table]),
);
/** Where a method gets the class of an entity, as `manager.insert` does. */
const ENTITY = new RegExp(`(?:\\.\\w+(?:<[^(]*>)?|InjectRepository)\\(\\s*(${[...TABLES.keys()].join('|')})\\b`, 'g');
/** They speak to the database itself, not to a table of ours. */
const MAY_SPEAK_SQL = /\.repository\.ts$|^src\/platform\/(database|jobs|health)\//;

/** @param {string} text @param {number} index */
const lineOf = (text, index) => text.slice(0, index).split('\n').length;

const FOLDERS = ['src', 'test', 'bench', 'scripts', 'clients', 'examples'];
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...FOLDERS], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.([cm]?ts|tsx|mjs|cjs|js)$/.test(file) && !GENERATED.test(file));

/** @type {string[]} */
const faults = [];

const migrations = readdirSync('migrations').filter((file) => file.endsWith('.up.sql'));
for (const migration of migrations)
  for (const [, table = ''] of readFileSync(`migrations/${migration}`, 'utf8').matchAll(/CREATE TABLE (\w+)/g)) {
    if (!(table in OWNERS) && !PARTITIONS.has(table)) faults.push(`migrations/${migration}: ${table} has no owner`);
  }
for (const file of files) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    continue;
  }
  const lines = text.trimEnd().split('\n').length;
  if (lines > MAX_LINES) faults.push(`${file}: ${lines} lines, at most ${MAX_LINES} are one story`);
  if (!file.startsWith('src/') || file.endsWith('spec.ts')) continue;
  for (const match of [...text.matchAll(NAMED), ...text.matchAll(ENTITY)]) {
    const name = match[1] ?? match[2] ?? '';
    const table = TABLES.get(name) ?? name;
    const owner = OWNERS[table] ?? '';
    // A feature's module says which of its tables expire.
    const home = file.endsWith('.module.ts') ? owner.split('/')[0] : owner;
    if (!file.startsWith(`src/${home}/`))
      faults.push(`${file}:${lineOf(text, match.index)}: ${table} is a table of src/${owner}`);
  }
  if (MAY_SPEAK_SQL.test(file)) continue;
  for (const match of [...text.matchAll(STATEMENT), ...text.matchAll(ENTITY)])
    faults.push(`${file}:${lineOf(text, match.index)}: a statement outside a repository`);
}

for (const fault of faults) console.error(fault);
console.log(`${files.length} files, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
