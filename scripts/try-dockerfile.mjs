/**
 * Carries out docker/Dockerfile without a container engine: every stage in a directory of its own, COPY and RUN with the
 * same arguments, under the image's version of Node.js. Then starts what has come out as another user, on files it cannot
 * write, asks the image's own HEALTHCHECK, runs a command of the command line, and stops it by SIGTERM.
 *
 * With TEST_DATABASE_URL it starts once more, on PostgreSQL, and with no directory to write to at all.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import pg from 'pg';

const CONTEXT = fileURLToPath(new URL('..', import.meta.url));
/** The user `node` of the image. */
const NODE_USER = 1000;
const isRoot = process.getuid?.() === 0;

const work = mkdtempSync(join(tmpdir(), 'image-'));
chmodSync(work, 0o755);

/** @typedef {{ root: string, directory: string, env: Record<string, string>, command: string[], healthcheck: string[] }} Stage */

/** The instructions, comments left out and continued lines joined. */
function instructions() {
  const lines = readFileSync(join(CONTEXT, 'docker/Dockerfile'), 'utf8').split('\n');
  const text = lines.filter((line) => !line.trimStart().startsWith('#')).join('\n');
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, rest };
    });
}

/** What .dockerignore leaves of the context: each file named by a line `!NAME`. */
function isInContext(/** @type {string} */ source) {
  const lines = readFileSync(join(CONTEXT, '.dockerignore'), 'utf8').trim().split('\n');
  assert.equal(lines[0], '*', '.dockerignore begins by leaving everything out');
  return lines.includes(`!${source}`);
}

/** @param {Stage} stage @param {string} path */
const inStage = (stage, path) =>
  path.startsWith('/') ? join(stage.root, path) : join(stage.root, stage.directory, path);

/** @param {Stage} stage @param {string} rest @param {Map<string, Stage>} stages */
function copy(stage, rest, stages) {
  const words = rest.split(/\s+/);
  const flag = (/** @type {string} */ name) =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const to = paths.pop() ?? '';
  const from = stages.get(flag('from') ?? '');
  assert(from !== undefined || flag('from') === undefined, `COPY ${rest}: there is no such stage`);
  for (const path of paths) {
    assert(from !== undefined || isInContext(path), `COPY ${path}: .dockerignore leaves it out`);
    const source = from ? inStage(from, path) : join(CONTEXT, path);
    // As COPY has it: a directory's content goes into the target, a file into it or under its name.
    const isFileInto = !statSync(source).isDirectory() && to.endsWith('/');
    const target = join(inStage(stage, to), isFileInto ? basename(path) : '');
    cpSync(source, target, { recursive: true, verbatimSymlinks: true });
    if (flag('chown') !== undefined && isRoot) chownSync(target, NODE_USER, NODE_USER);
  }
}

/** The directory of the image's Node.js, which the npm registry has too. */
function installNode(/** @type {string} */ version) {
  const name = `node-${process.platform}-${process.arch}`;
  const directory = join(work, 'node');
  mkdirSync(directory);
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', directory, `${name}@${version}`]);
  return join(directory, 'node_modules', name, 'bin');
}

/** The last stage, built. */
function build() {
  /** @type {Map<string, Stage>} */
  const stages = new Map();
  /** @type {Record<string, string>} */
  const args = {};
  /** @type {Stage | undefined} */
  let stage;
  const expand = (/** @type {string} */ text) => text.replaceAll(/\$\{(\w+)\}/g, (_, name) => args[name] ?? '');

  for (const { name, rest } of instructions()) {
    console.log(`${name} ${rest}`);
    if (name === 'ARG') {
      const [key = '', value = ''] = rest.split('=');
      args[key] = value;
      continue;
    }
    if (name === 'FROM') {
      const [, image = '', alias = ''] = /^(\S+)(?: AS (\S+))?$/.exec(expand(rest)) ?? [];
      assert.match(
        image,
        /^node:\d+\.\d+\.\d+-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/,
        'the base image is a slim Node.js of one release',
      );
      const root = join(work, `stage-${stages.size}`);
      mkdirSync(root);
      stage = { root, directory: '/', env: {}, command: [], healthcheck: [] };
      // A stage without a name has its number.
      stages.set(alias === '' ? String(stages.size) : alias, stage);
      continue;
    }
    assert(stage, `${name} before FROM`);
    switch (name) {
      case 'WORKDIR':
        stage.directory = rest;
        mkdirSync(inStage(stage, '.'), { recursive: true });
        break;
      case 'COPY':
        copy(stage, rest, stages);
        break;
      case 'RUN':
        execFileSync('sh', ['-c', rest], {
          cwd: inStage(stage, '.'),
          env: shellEnv,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        break;
      case 'ENV':
        for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = value;
        break;
      case 'USER':
        assert.equal(rest, 'node', 'the image runs as the user node');
        break;
      case 'CMD':
        stage.command = JSON.parse(rest);
        break;
      case 'HEALTHCHECK':
        stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 'CMD '.length));
        break;
      case 'EXPOSE':
      case 'LABEL':
        break;
      default:
        assert.fail(`this script does not know ${name}`);
    }
  }
  assert(stage);
  return stage;
}

const nodeVersion =
  /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(readFileSync(join(CONTEXT, 'docker/Dockerfile'), 'utf8'))?.[1] ?? '';
const nodeDirectory = installNode(nodeVersion);
/** @type {NodeJS.ProcessEnv} */
const shellEnv = { ...process.env, PATH: `${nodeDirectory}:${process.env.PATH}` };
delete shellEnv.NODE_ENV;

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
