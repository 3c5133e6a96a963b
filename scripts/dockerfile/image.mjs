/**
 * Carries out docker/Dockerfile without a container engine: every stage in a directory of its own, COPY and RUN with the
 * same arguments, under the image's version of Node.js.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CONTEXT = fileURLToPath(new URL('../..', import.meta.url));
/** The user `node` of the image. */
export const NODE_USER = 1000;
export const isRoot = process.getuid?.() === 0;

/** Where the stages are; whoever builds removes it. */
export const work = mkdtempSync(join(tmpdir(), 'image-'));
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
export const inStage = (stage, path) =>
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
export function build() {
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

export const nodeVersion =
  /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(readFileSync(join(CONTEXT, 'docker/Dockerfile'), 'utf8'))?.[1] ?? '';
export const nodeDirectory = installNode(nodeVersion);
/** @type {NodeJS.ProcessEnv} */
const shellEnv = { ...process.env, PATH: `${nodeDirectory}:${process.env.PATH}` };
delete shellEnv.NODE_ENV;
