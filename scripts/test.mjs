// test.mjs PROJECT,… [NAME…]: builds the service where its source is newer, runs Jest, and closes with one line that counts
// every test. A name runs the file of that name, or where there is none the files that match it; other arguments are
// Jest's own.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const root = fileURLToPath(new URL('..', import.meta.url));
const reporter = join(root, 'scripts/test-reporter.mjs');

/** Databases are copied often, and fast in memory; these tests are about what a disk keeps. */
const ON_DISK = ['faults', 'failover', 'upgrade'];
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;

function hasMemory() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const mounted =
    readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY) ?? '';
  // Containers often have it without the right to run what some tests write there.
  return !mounted.includes('noexec') && Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
}

/**
 * Where a run leaves its files, which it removes in the end.
 * @param {string[]} projects
 */
function makeDirectory(projects) {
  const isOnDisk = projects.some((project) => ON_DISK.includes(project));
  const made = mkdtempSync(join(!isOnDisk && hasMemory() ? MEMORY : tmpdir(), 'tests-'));
  // Servers that refuse to run as root have an account of their own.
  chmodSync(made, 0o755);
  return made;
}

/** Whether the built service is as new as what it is built from. */
function isBuilt() {
  const program = join(root, 'dist/main.js');
  if (!existsSync(program)) return false;
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('spec.ts'))
    .map((name) => `src/${name}`);
  const pages = readdirSync(join(root, 'docs/integrate'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/integrate/${name}`)
    .concat('docs/integrate', 'CHANGELOG.md');
  const ingredients = [
    'src',
    ...sources,
    ...pages,
    'nest-cli.json',
    'package-lock.json',
    'tsconfig.build.json',
    'tsconfig.json',
  ];
  const builtAt = statSync(program).mtimeMs;
  return ingredients.every((name) => statSync(join(root, name)).mtimeMs <= builtAt);
}

if (!isBuilt()) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 'inherit'] });
  if (status !== 0) {
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
}

const [names = '', ...given] = process.argv.slice(2);
const projects = names.split(',');
/** How the names of these projects' files end. */
const endings = projects.map((project) => (project === 'unit' ? '.spec.ts' : `.${project.replace(/s$/, '')}-spec.ts`));
const files = ['src', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
  .filter((file) => endings.some((ending) => file.endsWith(ending)));
/** @param {string} name */
const patternOf = (name) => (files.some((file) => basename(file).startsWith(`${name}.`)) ? `/${name}\\.` : name);

const directory = makeDirectory(projects);
const countsFile = join(directory, 'counts.json');
// Whoever interrupts the run ends Jest, too; this process lives on, to remove the files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
/** The value of this option is no file's name. */
const NAME_OF_TEST = ['-t', '--testNamePattern'];
const { status } = spawnSync(
  process.execPath,
  [
    jest,
    ...given.map((argument, index) => (NAME_OF_TEST.includes(given[index - 1] ?? '') ? argument : patternOf(argument))),
    // They come last, since each takes every name that follows it.
    ...['--selectProjects', ...projects, '--reporters', reporter],
  ],
  { stdio: ['ignore', 2, 'inherit'], env: { ...process.env, TMPDIR: directory, TEST_COUNTS_FILE: countsFile } },
);

/** @returns {{ passed: number, failed: number }} */
function counts() {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const { passed, failed } = counts();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : (status ?? 1);
rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
