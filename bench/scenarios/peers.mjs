import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, loginRequest, meRequest, PASSWORD } from '../support/consumers.mjs';
import { freePort } from '../support/free-port.mjs';
import { applyLoad, applySchedule } from '../support/load.mjs';
import { measureInTurn, totalMs } from '../support/measurement.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { residentMegabytes } from '../support/processor.mjs';
import { withRig } from '../support/rig.mjs';
import { startServer } from '../support/server-process.mjs';
import { APP_SECRET } from '../support/service.mjs';
import { percentiles } from '../support/statistics.mjs';

export const title = 'the service beside better-auth, each with its own password hash';

const DIRECTORY = resolve(import.meta.dirname, '../peers');
const USERS = 64;
const LOAD = { connections: 16, seconds: 6, expectedStatus: 200 };
const STORM_SECONDS = 10;

/** @returns {Promise<import('../support/judge.mjs').Measurement>} */
export async function measure() {
  if (!existsSync(join(DIRECTORY, 'node_modules'))) {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: DIRECTORY, stdio: 'ignore' });
  }
  return withRig({}, async ({ service, postgres, consumers }) => {
    const peerDatabase = await startPostgres();
    const peer = await startPeer(peerDatabase.url);
    try {
      const { headers } = service;
      const ours = {
        me: (await logIn(service, consumers)).map((consumer) => meRequest(headers, consumer)),
        login: consumers.map((consumer) => loginRequest(headers, consumer)),
      };
      const theirs = await requestsOf(peer.baseUrl);
      const processorMs = () => (postgres.processorMs() ?? 0) + (peerDatabase.processorMs() ?? 0);
      const costs = await measureInTurn(
        {
          'GET /me: the service': { ...LOAD, server: service, requests: ours.me },
          'GET /get-session: better-auth': { ...LOAD, server: peer, requests: theirs.me },
          'login: the service': { ...LOAD, server: service, requests: ours.login },
          'login: better-auth': { ...LOAD, server: peer, requests: theirs.login },
        },
        processorMs,
      );
      const storms = {
        'in a login storm: the service': await storm(service, ours),
        'in a login storm: better-auth': await storm(peer, theirs),
      };
      const [own, other] = [costs['GET /me: the service'], costs['GET /get-session: better-auth']];
      return {
        table: { ...costs, ...storms },
        figures: [
          { name: 'profile reads a second ÷ better-auth', value: own.perSecond / other.perSecond, atLeast: 1 },
          { name: 'processor time of a profile read ÷ better-auth', value: totalMs(own) / totalMs(other), atMost: 1 },
        ],
      };
    } finally {
      await peer.stop();
      await peerDatabase.stop();
    }
  });
}

/** @param {string} databaseUrl */
async function startPeer(databaseUrl) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const env = { DATABASE_URL: databaseUrl, APP_SECRET, NODE_ENV: 'production' };
  const program = [join(DIRECTORY, 'better-auth.mjs')];
  const server = await startServer({ program, env, port: await freePort(), directory, readyPath: '/health' });
  return {
    ...server,
    stop: async () => {
      await server.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @param {string} baseUrl */
async function requestsOf(baseUrl) {
  const headers = { 'Content-Type': 'application/json', Origin: baseUrl };
  const users = Array.from({ length: USERS }, (_, index) => ({
    email: `ada-${index}@example.com`,
    password: PASSWORD,
  }));
  const me = [];
  for (const user of users) {
    const body = JSON.stringify({ name: 'Ada', ...user });
    const response = await fetch(`${baseUrl}/api/auth/sign-up/email`, { method: 'POST', headers, body });
    const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '');
    if (!response.ok || cookie === '') throw new Error(`better-auth: ${response.status} ${await response.text()}`);
    me.push({ method: 'GET', path: '/api/auth/get-session', headers: { ...headers, Cookie: cookie } });
  }
  const login = users.map((user) => ({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers,
    body: JSON.stringify(user),
  }));
  return { me, login };
}

/**
 * @param {{ baseUrl: string, pid: number }} server
 * @param {Record<'me' | 'login', import('../support/load.mjs').LoadRequest[]>} requests
 */
async function storm({ baseUrl, pid }, { me, login }) {
  const logins = applyLoad({
    baseUrl,
    connections: 16,
    seconds: STORM_SECONDS + 3,
    requests: login,
    expectedStatus: 200,
  });
  await sleep(2_000);
  const [request] = me;
  if (!request) throw new Error('No request');
  const { all } = await applySchedule({ baseUrl, request, perSecond: 50, seconds: STORM_SECONDS });
  const { perSecond } = await logins;
  const { p50, p99 } = percentiles(all);
  return { perSecond, p50, p99, 'resident after, MB': residentMegabytes(pid) };
}
