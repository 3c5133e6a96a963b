// Runs clients/postman in Postman's own runner, one request after the other, against the built service as a sandbox. Every
// answer must be one that docs/openapi.json has for the request, and what a consumer goes through must succeed. The runner is
// fetched at this version when asked for.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const NEWMAN = 'newman@6.2.2';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COLLECTION = 'clients/postman/consumer-service.postman_collection.json';

/** What is not a success, and why: the rest of the folders that are not reserved is. @type {Record<string, number>} */
const REFUSED = {
  // The registration has proven the address.
  'POST /api/v1/verifications/{channel}/request': 409,
  'POST /api/v1/verifications/{channel}/confirm': 410,
  // No provider is trusted.
  'POST /api/v1/identify': 403,
};

/** @typedef {{ summary: string, tags: string[], responses: Record<string, unknown> }} Operation */
/** @type {{ paths: Record<string, Record<string, Operation>> }} */
const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
);

const work = mkdtempSync(join(tmpdir(), 'postman-'));
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
server.close();
const baseUrl = `http://127.0.0.1:${port}`;
const env = {
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), DATA_DIR: join(work, 'data') },
  ...{ SANDBOX: 'true', LOG_LEVEL: 'warn', BCRYPT_COST: '4', CONSOLE_PORT: 'off' },
};
/** @param {string[]} command @returns {{ code: string, key: string }} */
const cli = (...command) =>
  JSON.parse(execFileSync('node', ['dist/cli.js', ...command, '--json'], { cwd: ROOT, env }).toString());

const service = spawn('node', ['dist/main.js'], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
const faults = [];
try {
  const isReady = () =>
    fetch(`${baseUrl}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const deadline = performance.now() + 300_000;
  while (performance.now() < deadline && !(await isReady())) await sleep(200);
  assert(await isReady(), 'the service becomes ready');
  const proof = ['--channel-proof', 'EMAIL', '--session-max', '8h', '--rate-limit', 'unlimited'];
  const touchpoint = cli('touchpoint', 'create', '--code', 'postman', ...proof);
  const subscriber = cli('subscriber', 'create', '--code', 'crm', '--read-consumers', '--from-start');
  const variables = {
    ...{ baseUrl, touchpointCode: touchpoint.code, touchpointKey: touchpoint.key },
    ...{ subscriberCode: subscriber.code, subscriberKey: subscriber.key },
  };
  const report = join(work, 'report.json');
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const reporter = ['--reporters', 'json', '--reporter-json-export', report, '--suppress-exit-code'];
  execFileSync('npx', ['--yes', NEWMAN, 'run', COLLECTION, ...given, ...reporter], { cwd: ROOT, env });

  /** @type {{ executions: { item: { name: string }, response?: { code: number, stream?: { data: number[] } }, assertions?: unknown[] }[] }} */
  const { executions } = JSON.parse(readFileSync(report, 'utf8')).run;
  for (const { name, summary, tags, responses } of operations) {
    const status = executions.find(({ item }) => item.name === summary)?.response?.code ?? 0;
    const isReserved = tags.includes('Reserved');
    const expected = isReserved ? 501 : REFUSED[name];
    const isGood = expected === undefined ? status >= 200 && status < 300 : status === expected;
    console.log(`${status} ${name}`);
    if (!isGood || !(String(status) in responses)) faults.push(`${name} has answered ${status}`);
  }
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(work, { recursive: true });
}
for (const fault of faults) console.error(fault);
console.log(`${operations.length - faults.length} passed, ${faults.length} failed`);
process.exitCode = faults.length > 0 ? 1 : 0;
