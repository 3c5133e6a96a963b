const path = require('node:path');

/** @typedef {{ path: string, context: { config: { rootDir: string } } }} File */

/** Not by the console, which is the tests' own when they run in this process. @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);

/** A reporter for Jest that says in one line what fails first, or else how many test files there were. */
module.exports = class FirstFailure {
  hasFailed = false;

  /** @param {File} file @param {{ status: string, fullName: string }} result */
  onTestCaseResult(file, { status, fullName }) {
    if (status === 'failed') this.tell(file, fullName);
  }

  /** For a file that does not even run. @param {File} file @param {{ numFailingTests: number, testExecError?: unknown }} result */
  onTestResult(file, { numFailingTests, testExecError }) {
    if (numFailingTests > 0 || testExecError) this.tell(file, 'does not run');
  }

  /** @param {unknown} _ @param {{ numTotalTestSuites: number }} results */
  onRunComplete(_, { numTotalTestSuites }) {
    if (!this.hasFailed) print(`passed ${numTotalTestSuites}`);
  }

  /** @param {File} file @param {string} name */
  tell(file, name) {
    if (!this.hasFailed) print(`failed ${path.relative(file.context.config.rootDir, file.path)}: ${name}`);
    this.hasFailed = true;
  }
};
