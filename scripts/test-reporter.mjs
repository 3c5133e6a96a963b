// What `npm test` shows: each file as it ends, what runs meanwhile, and at the end each failure once.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Of so few files every test is named. */
const FEW_FILES = 4;
/** Without a terminal, this often the log says what still runs; milliseconds. */
const REMINDER = 30_000;
/** Without a terminal, so many lines of what each service logged are printed with a failure. */
const LOG_LINES = 30;

/** @typedef {{ path: string, context: { config: { displayName?: { name: string } } } }} TestFile */
/** @typedef {{ fullName: string, status: string, duration?: number | null, failureMessages: string[] }} TestCase */
/**
 * @typedef {object} FileResult
 * @property {TestCase[]} testResults
 * @property {{ start: number, end: number }} perfStats
 * @property {Error | undefined} testExecError
 * @property {string | null | undefined} failureMessage
 * @property {{ message: string, origin: string }[] | undefined} console
 */

/** @param {string} text */
const print = (text) => void process.stderr.write(`${text}\n`);

/** @param {string} path */
const nameOf = (path) =>
  basename(path).replace(
    /[.-]?(e2e-|integration-|fault-|failover-|upgrade-|guide-|fuzz-|proxy-|browser-)?spec\.ts$/,
    '',
  );

/** Where the services log that the tests of a file speak to, if one of these failed. @param {string} path */
const logOf = (path) => `test-logs/${basename(path).replace(/(\.e2e)?-spec\.ts$/, '')}.log`;

/** The last lines of each service, which a heading begins. @param {string} log */
const endsOf = (log) =>
  log
    .split(/^(?=== )/m)
    .map((service) => {
      const [heading, ...lines] = service.trimEnd().split('\n');
      return [heading, ...lines.slice(-LOG_LINES)].join('\n');
    })
    .join('\n');

/** A stack trace without the lines of the test runner. @param {string} message */
const withoutRunner = (message) => message.replace(/\n +at .*(?:node_modules\/jest-|node:internal\/).*/g, '');

/** Jest's reporter interface. */
export default class TestReporter {
  /** @type {Map<string, number>} */
  #running = new Map();
  #files = 0;
  #ended = 0;
  /** @type {string[]} */
  #failures = [];
  /** @type {NodeJS.Timeout | undefined} */
  #reminder;

  /** @param {{ numTotalTestSuites: number }} results */
  onRunStart({ numTotalTestSuites }) {
    this.#files = numTotalTestSuites;
    this.#reminder = setInterval(() => {
      this.#sayWhatRuns();
    }, REMINDER).unref();
  }

  /** @param {TestFile} file */
  onTestFileStart({ path }) {
    this.#running.set(path, performance.now());
    this.#draw();
  }

  /** @param {TestFile} file @param {FileResult} result */
  onTestFileResult({ path, context }, result) {
    this.#running.delete(path);
    this.#ended += 1;
    const failed = result.testResults.filter(({ status }) => status === 'failed');
    const hasFailed = failed.length > 0 || result.testExecError !== undefined;
    const seconds = ((result.perfStats.end - result.perfStats.start) / 1000).toFixed(1);
    const project = context.config.displayName?.name ?? '';
    this.#clear();
    print(
      `${hasFailed ? 'FAILED' : 'passed'} ${seconds.padStart(5)} s  ${project} ${nameOf(path)} (${result.testResults.length})`,
    );
    for (const { message, origin } of result.console ?? []) print(`${message}\n${origin}`);
    if (this.#files <= FEW_FILES) this.#name(result.testResults);
    else for (const { fullName } of failed) print(`    ${fullName}`);
    if (hasFailed) this.#failures.push(this.#describe(path, result, failed));
    this.#draw();
  }

  /** @param {unknown} _contexts @param {Record<'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites', number>} results */
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    clearInterval(this.#reminder);
    this.#clear();
    const counts = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
    if (process.env.TEST_COUNTS_FILE) writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
    for (const failure of this.#failures) print(`\n${failure}`);
  }

  /** @param {TestCase[]} cases */
  #name(cases) {
    for (const { fullName, status, duration } of cases)
      print(`    ${status} ${fullName}${duration && duration > 100 ? ` (${(duration / 1000).toFixed(1)} s)` : ''}`);
  }

  /** @param {string} path @param {FileResult} result @param {TestCase[]} failed */
  #describe(path, { testExecError, failureMessage }, failed) {
    const file = relative(ROOT, path);
    const told = testExecError
      ? [failureMessage ?? testExecError.message]
      : failed.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.map(withoutRunner).join('\n')}`);
    return [`== ${file}`, told.join('\n\n'), ...this.#logged(path)].join('\n');
  }

  /** @param {string} path */
  #logged(path) {
    const log = `${ROOT}${logOf(path)}`;
    if (!existsSync(log)) return [];
    const ends = process.stderr.isTTY ? [] : [endsOf(readFileSync(log, 'utf8'))];
    return [`The services' log: ${logOf(path)}`, ...ends];
  }

  #sayWhatRuns() {
    if (!process.stderr.isTTY && this.#running.size > 0) print(this.#state());
  }

  #state() {
    const now = performance.now();
    const running = [...this.#running].map(([path, since]) => `${nameOf(path)} ${Math.round((now - since) / 1000)} s`);
    return `${this.#ended} of ${this.#files} files, running: ${running.join(', ')}`;
  }

  #draw() {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${this.#state()}`);
  }

  #clear() {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  }
}
