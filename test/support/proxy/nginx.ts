import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../service/free-port';

const CONFIGURATION = join(__dirname, '../../../docker/nginx.conf');
const THREE_REPLICAS = join(__dirname, '../../../deploy/ha/upstream.conf');
const START_DEADLINE_MS = 10_000;

/** nginx with the configuration of the containers, but for addresses and directories, in front of the servers given. */
export class Nginx {
  private constructor(
    readonly baseUrl: string,
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  static start(upstreams: string[]): Promise<Nginx> {
    const servers = upstreams.map((url) => `server ${new URL(url).host} `).join('max_fails=2 fail_timeout=5s; ');
    return Nginx.startWith([[/server service:3000 /g, servers]]);
  }

  /** With the `upstream` of deploy/ha. */
  static startBefore(replicas: string[]): Promise<Nginx> {
    const upstream = replicas.reduce(
      (known, url, index) => replaced(known, [new RegExp(`10\\.0\\.0\\.1${index + 1}:3000`), new URL(url).host]),
      readFileSync(THREE_REPLICAS, 'utf8'),
    );
    return Nginx.startWith([[/upstream service \{[^}]*\}/, upstream]]);
  }

  private static async startWith(toServers: [from: RegExp, to: string][]): Promise<Nginx> {
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), 'nginx-'));
    // Started by root, its workers are nobody.
    chmodSync(directory, 0o755);
    const replacements: [from: RegExp, to: string][] = [
      ...toServers,
      [/listen 8080 /g, `listen 127.0.0.1:${port} `],
      [/\/tmp\//g, `${directory}/`],
      [/\/dev\/std(out|err)/g, join(directory, 'log')],
    ];
    const file = join(directory, 'nginx.conf');
    writeFileSync(file, replacements.reduce(replaced, readFileSync(CONFIGURATION, 'utf8')));
    execFileSync('nginx', ['-t', '-q', '-e', join(directory, 'log'), '-c', file], { stdio: 'pipe' });
    const child = spawn('nginx', ['-e', join(directory, 'log'), '-c', file, '-g', 'daemon off;'], { stdio: 'inherit' });
    const nginx = new Nginx(`http://127.0.0.1:${port}`, directory, child);
    await nginx.waitUntilItAnswers();
    return nginx;
  }

  /** All it has written to both logs. */
  log(): string {
    return readFileSync(join(this.directory, 'log'), 'utf8');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exit;
    }
    rmSync(this.directory, { recursive: true });
  }

  /** Without a request that the servers behind it would see. */
  private async waitUntilItAnswers(): Promise<void> {
    const deadline = Date.now() + START_DEADLINE_MS;
    const headers = { 'X-Large': 'x'.repeat(40_000) };
    while (Date.now() < deadline && this.child.exitCode === null) {
      const answered = await fetch(this.baseUrl, { headers }).then(
        () => true,
        () => false,
      );
      if (answered) return;
      await sleep(25);
    }
    throw new Error(`nginx did not start:\n${this.log()}`);
  }
}

function replaced(text: string, [from, to]: [from: RegExp, to: string]): string {
  if (text.search(from) < 0) throw new Error(`The configuration has no ${from.source}`);
  return text.replace(from, to);
}
