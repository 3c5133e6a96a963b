// Runs the tests and closes with one line that counts them.
import { readdirSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../dist-test', import.meta.url));
const files = readdirSync(directory).filter((name) => name.endsWith('.test.mjs'));
let passed = 0;
let failed = 0;

const events = run({ files: files.map((name) => `${directory}/${name}`), concurrency: false });
events.on('test:pass', ({ details }) => (passed += details.type === 'suite' ? 0 : 1));
events.on('test:fail', ({ details }) => (failed += details.type === 'suite' ? 0 : 1));
const report = events.compose(spec);
report.pipe(process.stderr);
await finished(report);

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
