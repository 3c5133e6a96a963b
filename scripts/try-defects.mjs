// Puts each planted defect of `test/defects` into the service, one at a time, and tells which test finds it.
// `npm run test:defects -- 3 import` tries those of this number and those with this word in their name or file;
// `--named-only` runs no other tests for a defect that the tests named beside it do not find; `--check` only tells
// whether each could still be planted.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFECTS } from '../test/defects/defects.mjs';

/** @typedef {import('../test/defects/defects.mjs').Defect} Defect */
/** @typedef {{ verdict: 'found' | 'not found' | 'error', by: string }} Outcome */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const BUILD = [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'];
const JEST = [
  require.resolve('jest/bin/jest'),
  ...['--selectProjects=unit', '--selectProjects=integration', '--selectProjects=e2e'],
  `--reporters=${join(ROOT, 'test/defects/first-failure.cjs')}`,
  `--cacheDirectory=${join(tmpdir(), 'defects-jest-cache')}`,
];
/** What tests leave behind that are ended at their first failure. */
const temporary = mkdtempSync(join(tmpdir(), 'defects-'));

/** What a file holds without the defect that is in it now. @type {{ file: string, text: string } | undefined} */
let original;
let buildHoldsDefect = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;

/** @param {string} file */
const read = (file) => readFileSync(join(ROOT, file), 'utf8');

function restore() {
  if (original) writeFileSync(join(ROOT, original.file), original.text);
  original = undefined;
}

/** With all that it has started. */
function endRunning() {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

process.on('exit', () => {
  endRunning();
  restore();
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
  if (buildHoldsDefect) spawnSync(process.execPath, BUILD, { cwd: ROOT });
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => process.exit(1));

/** Runs until the end, or until it has printed something like `last`. @param {string[]} args @param {RegExp} [last] */
async function run(args, last) {
  const env = { ...process.env, TMPDIR: join(temporary, 'tmp'), TEST_CACHE: join(temporary, 'cache') };
  mkdirSync(env.TMPDIR, { recursive: true });
  // A group of its own, so that it can be ended with the services and commands that tests have started.
  const child = spawn(process.execPath, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
      if (last?.test(output)) endRunning();
    });
  }
  /** @type {number | null} */
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  endRunning();
  running = undefined;
  return { status, output };
}

/** What the tests in these files find; of all that `npm test` runs where none is named. @param {string[]} tests @returns {Promise<Outcome>} */
async function runTests(tests) {
  const { output } = await run([...JEST, ...tests], /^failed .*\n/m);
  const by = /^failed (.*)$/m.exec(output)?.[1];
  if (by !== undefined) return { verdict: 'found', by };
  const files = Number(/^passed (\d+)$/m.exec(output)?.[1] ?? 0);
  return files > 0 ? { verdict: 'not found', by: '' } : { verdict: 'error', by: `no test has run: ${output.trim()}` };
}

/** @param {Defect} defect @param {boolean} namedOnly @returns {Promise<Outcome>} */
async function tryDefect({ file, find, replace, tests }, namedOnly) {
  const text = read(file);
  original = { file, text };
  buildHoldsDefect = true;
  // A function, since `$` is special in a string.
  const changed = text.replace(find, () => replace);
  writeFileSync(join(ROOT, file), changed);
  const build = await run(BUILD);
  if (build.status !== 0) return { verdict: 'error', by: `it does not compile: ${build.output.trim()}` };
  const outcome = await runTests(tests);
  return outcome.verdict === 'not found' && !namedOnly ? runTests([]) : outcome;
}

/** @param {string} problem */
function refuse(problem) {
  console.error(problem);
  process.exit(1);
}

const given = process.argv.slice(2);
const namedOnly = given.includes('--named-only');
const wanted = given.filter((argument) => !argument.startsWith('--'));
/** @param {string} word @param {Defect} defect @param {number} number */
const isMeant = (word, { name, file }, number) =>
  /^\d+$/.test(word) ? Number(word) === number : `${name} ${file}`.includes(word);
const selected = DEFECTS.map((defect, index) => ({ defect, number: index + 1 })).filter(
  ({ defect, number }) => wanted.length === 0 || wanted.some((word) => isMeant(word, defect, number)),
);
if (selected.length === 0) refuse('There is no such defect.');

for (const { defect } of selected) {
  const times = read(defect.file).split(defect.find).length - 1;
  if (times !== 1) refuse(`${defect.name} What it replaces stands ${times} times in ${defect.file}.`);
}
if (given.includes('--check')) process.exit();
const git = spawnSync('git', ['status', '--porcelain', '--', 'src', 'migrations'], { cwd: ROOT, encoding: 'utf8' });
if (git.status !== 0 || git.stdout !== '') refuse(`Commit or restore these first:\n${git.stdout}${git.stderr}`);

/** @type {string[]} */
const table = [];
let found = 0;
for (const { defect, number } of selected) {
  const began = performance.now();
  const { verdict, by } = await tryDefect(defect, namedOnly);
  restore();
  if (verdict === 'found') found += 1;
  const line = `${String(number).padStart(2)}  ${verdict.padEnd(9)}  ${defect.name}${by && `\n               ${by}`}`;
  table.push(line);
  console.log(`${line} (${Math.round((performance.now() - began) / 1000)} s)`);
}
console.log(`\n${table.join('\n')}\n\n${found} of ${selected.length} found`);
process.exitCode = found === selected.length ? 0 : 1;
