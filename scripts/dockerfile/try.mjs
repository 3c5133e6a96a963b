/**
 * Builds docker/Dockerfile, starts what has come out as another user, on files it cannot write, asks the image's own
 * HEALTHCHECK, runs a command of the command line, and stops it by SIGTERM.
 *
 * With TEST_DATABASE_URL it starts once more, on PostgreSQL, and with no directory to write to at all.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { build, CONTEXT, inStage, isRoot, NODE_USER, nodeDirectory, nodeVersion, work } from './image.mjs';

/** @typedef {import('./image.mjs').Stage} Stage */

/** @param {Stage} image */
function assertHoldsNoDevelopment(image) {
  /** @type {{ packages: Record<string, { dev?: true, devOptional?: true }> }} */
  const { packages } = JSON.parse(readFileSync(join(CONTEXT, 'package-lock.json'), 'utf8'));
  const development = Object.keys(packages).filter((path) => packages[path]?.dev ?? packages[path]?.devOptional);
  assert(development.length > 0, 'the lockfile names development dependencies');
  const left = development.filter((path) => existsSync(inStage(image, path)));
  assert.deepEqual(left, [], 'no development dependency is in the image');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return String(port);
}

/**
 * Runs the image's command until it is healthy, a command of the command line beside it, and stops it.
 * @param {Stage} image @param {Record<string, string>} settings
 */
async function run(image, settings) {
  // The network of a container is its own; here the service keeps to the loopback interface.
  const env = {
    PATH: nodeDirectory,
    ...image.env,
    ...secrets(),
    HOST: '127.0.0.1',
    PORT: await freePort(),
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const user = isRoot ? { uid: NODE_USER, gid: NODE_USER } : {};
  const options = { cwd: inStage(image, '.'), env, ...user };
  const [program = '', ...args] = image.command;
  const [probe = '', ...probeArgs] = image.healthcheck;
  const isHealthy = () => spawnSync(probe, probeArgs, options).status === 0;

  assert(!isHealthy(), 'the health check fails while nothing runs');
  const service = spawn(program, args, { ...options, stdio: 'inherit' });
  try {
    const deadline = performance.now() + 60_000;
    while (service.exitCode === null && performance.now() < deadline && !isHealthy()) await sleep(200);
    assert(isHealthy(), 'the service becomes healthy');
    const list = execFileSync('node', ['dist/cli.js', 'touchpoint', 'list', '--json'], {
      ...options,
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(list), [], 'the command line answers');
    const exit = once(service, 'exit');
    service.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null], 'SIGTERM ends the service cleanly');
  } finally {
    service.kill('SIGKILL');
  }
}

/** What docker/make-secrets.mjs gives the containers, read as Compose reads it. */
function secrets() {
  const directory = join(work, 'secrets-of-compose');
  if (!existsSync(directory)) {
    mkdirSync(directory);
    execFileSync('node', [join(CONTEXT, 'docker/make-secrets.mjs'), directory]);
    // A mounted file does not need the directories above it to be open; here it does.
    chmodSync(join(directory, 'secrets'), 0o755);
  }
  const { APP_SECRET = '' } = parseEnv(readFileSync(join(directory, '.env'), 'utf8'));
  return { APP_SECRET, JWT_KEYS_FILE: join(directory, 'secrets/jwt-keys.json') };
}

/** A database of its own on the server of TEST_DATABASE_URL, for as long as `use` takes. */
async function withDatabase(/** @type {string} */ server, /** @type {(url: string) => Promise<void>} */ use) {
  const name = `image_${process.pid}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  try {
    const url = new URL(server);
    url.pathname = `/${name}`;
    await use(url.href);
  } finally {
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await client.end();
  }
}

try {
  const image = build();
  assertHoldsNoDevelopment(image);
  execFileSync('chmod', ['-R', 'a-w', join(image.root, image.directory)]);

  console.log('\nwith the embedded database, where only /data can be written');
  await run(image, { DATABASE_URL: 'embedded', DATA_DIR: join(image.root, image.env.DATA_DIR ?? '') });

  const { TEST_DATABASE_URL: server, TEST_REDIS_URL: redis = '' } = process.env;
  if (server) {
    console.log('with PostgreSQL, where nothing can be written');
    execFileSync('chmod', ['-R', 'a-w', image.root]);
    await withDatabase(server, (url) =>
      run(image, { DATABASE_URL: url, REDIS_URL: redis, DATA_DIR: join(image.root, 'nowhere') }),
    );
  }
  console.log(`The Dockerfile works on Node.js ${nodeVersion}.`);
} finally {
  execFileSync('chmod', ['-R', 'u+w', work]);
  rmSync(work, { recursive: true });
}
