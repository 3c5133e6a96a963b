import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endWithUs } from './end-with-us.mjs';
import { freePort } from './free-port.mjs';
import { sleepUntil } from './sleep-until.mjs';

const CONFIGURATION = resolve(import.meta.dirname, '../../docker/nginx.conf');

/**
 * nginx with the configuration of the containers, but for addresses and directories.
 *
 * @param {string[]} upstreams host and port of each server
 */
export async function startNginx(upstreams) {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
  // Started by root, its workers are nobody.
  chmodSync(directory, 0o755);
  const servers = upstreams.map((host) => `server ${host} `).join('max_fails=2 fail_timeout=5s; ');
  const text = readFileSync(CONFIGURATION, 'utf8')
    .replace(/server service:3000 /g, servers)
    .replace(/listen 8080 /g, `listen 127.0.0.1:${port} `)
    // autocannon does not heed `Connection: close`: it sends its next request into a connection that has ended.
    .replace(/(keepalive_timeout 60s;)/, '$1 keepalive_requests 1000000;')
    .replace(/\/tmp\//g, `${directory}/`)
    .replace(/\/dev\/std(out|err)/g, join(directory, 'log'));
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, text);
  const child = spawn('nginx', ['-e', join(directory, 'log'), '-c', file, '-g', 'daemon off;'], { stdio: 'inherit' });
  endWithUs(child, 'SIGTERM');
  const baseUrl = `http://127.0.0.1:${port}`;
  await sleepUntil(() =>
    fetch(`${baseUrl}/.well-known/jwks.json`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    baseUrl,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
