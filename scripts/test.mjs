// Runs Jest and closes with one line that counts every test. The arguments are Jest's own; a name runs the files that match it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const directory = mkdtempSync(join(tmpdir(), 'jest-'));
const report = join(directory, 'report.json');

const given = process.argv.slice(2);
/** @param {string} argument */
const isProject = (argument) => argument.startsWith('--selectProjects=');
// `--selectProjects` takes every name that follows it, so our options stand between it and the names of files.
const args = [
  ...given.filter(isProject),
  ...['--json', `--outputFile=${report}`],
  ...given.filter((argument) => !isProject(argument)),
];
const { status } = spawnSync(process.execPath, [jest, ...args], {
  stdio: ['ignore', 'ignore', 'inherit'],
});

/** @returns {{ passed: number, failed: number }} */
function counts() {
  try {
    /** @type {Record<'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites', number>} */
    const totals = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: totals.numPassedTests, failed: totals.numFailedTests + totals.numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const { passed, failed } = counts();
rmSync(directory, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : (status ?? 1);
