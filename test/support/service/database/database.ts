import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { RunningProcess } from '../running-process';
import { digest, TemplateDatabase } from './template-database';

const SERVER_URL = process.env.TEST_DATABASE_URL;

/** Each worker keeps two services and starts up to four more, each with up to ten connections. */
const CONNECTIONS = 300;

/** What decides how a database looks that nobody has used. */
const INGREDIENTS = ['package-lock.json', 'migrations'];
const TEMPLATE_NAME = `consumer_service_${digest(INGREDIENTS)}`;

/** What a service leaves that has started once. */
const embedded = new TemplateDatabase('service', INGREDIENTS, (dataDir) => startOnce({ DATA_DIR: dataDir }));

/** The databases of one run of the tests begin with these letters. */
const prefixOf = (run: string): string => `test_${run}_`;

/** Where a service finds its database, and how to remove what lies outside its data directory. */
export interface Place {
  env: Record<string, string>;
  drop: () => Promise<unknown>;
}

/** Makes, unless it is there, what new databases are copied from. */
export async function prepareTemplate(run: string): Promise<void> {
  if (SERVER_URL === undefined) {
    await embedded.prepare();
    return;
  }
  await requireConnections();
  await makeTemplateDatabase(`${prefixOf(run)}template`);
}

/** Before the first of many tests fails of it. */
async function requireConnections(): Promise<void> {
  const [{ name: allowed } = { name: '0' }] = await onServer(`SELECT current_setting('max_connections') AS name`);
  if (Number(allowed) >= CONNECTIONS) return;
  throw new Error(
    `The tests need a PostgreSQL with max_connections = ${CONNECTIONS}, and this one has ${allowed}. ` +
      'On this machine scripts/start-services.sh sets it.',
  );
}

/** A database of its own for a service: in the data directory, or on the server that the run names. */
export async function newPlace(run: string, dataDir: string, { unprepared = false } = {}): Promise<Place> {
  if (SERVER_URL === undefined) {
    if (!unprepared) await embedded.copyTo(dataDir);
    return { env: { DATA_DIR: dataDir }, drop: () => Promise.resolve() };
  }
  const name = `${prefixOf(run)}${randomUUID().replaceAll('-', '')}`;
  await onServer(`CREATE DATABASE ${name} ${unprepared ? '' : `TEMPLATE ${TEMPLATE_NAME}`}`);
  return { env: { DATA_DIR: dataDir, DATABASE_URL: urlOf(name) }, drop: () => drop(name) };
}

/** Drops what the services of a run did not. */
export async function dropDatabases(run: string): Promise<void> {
  if (SERVER_URL === undefined) return;
  const left = await onServer('SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)', [
    prefixOf(run),
  ]);
  for (const { name } of left) await drop(name);
}

/** How another process reaches the database of a service with these settings. */
export const databaseUrlOf = ({ DATABASE_URL = '', DATA_DIR = '' }: Record<string, string>): string =>
  DATABASE_URL === ''
    ? `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(join(DATA_DIR, 'socket'))}`
    : DATABASE_URL;

async function makeTemplateDatabase(draft: string): Promise<void> {
  const isThere = async () =>
    (await onServer('SELECT datname AS name FROM pg_database WHERE datname = $1', [TEMPLATE_NAME])).length > 0;
  if (await isThere()) return;
  const dataDir = await mkdtemp(join(tmpdir(), 'consumer-service-template-'));
  await onServer(`CREATE DATABASE ${draft}`);
  await startOnce({ DATA_DIR: dataDir, DATABASE_URL: urlOf(draft) });
  await rm(dataDir, { recursive: true });
  await onServer(`ALTER DATABASE ${draft} RENAME TO ${TEMPLATE_NAME}`).catch(async (error: unknown) => {
    if (!(await isThere())) throw error;
  });
}

async function startOnce(env: Record<string, string>): Promise<void> {
  const service = await RunningProcess.start({ ...env, NODE_ENV: 'test' }, join(env.DATA_DIR ?? '', 'log'));
  await service.stop('SIGTERM');
}

const drop = (name: string) => onServer(`DROP DATABASE ${name} WITH (FORCE)`);

async function onServer(statement: string, values: string[] = []): Promise<{ name: string }[]> {
  const client = new Client({ connectionString: SERVER_URL });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(statement, values).finally(() => client.end());
  return rows;
}

function urlOf(name: string): string {
  const url = new URL(SERVER_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}
