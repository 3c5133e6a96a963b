import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../service/free-port';

const START_DEADLINE_MS = 10_000;

/** PgBouncer in transaction mode before one database, with fewer connections to it than its clients ask for. */
export class PgBouncer {
  private constructor(
    readonly url: string,
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(databaseUrl: string, poolSize: number): Promise<PgBouncer> {
    const target = new URL(databaseUrl);
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    chmodSync(directory, 0o777);
    const file = join(directory, 'pgbouncer.ini');
    const [host, name] = [target.hostname, target.pathname.slice(1)];
    const lines = [
      '[databases]',
      `${name} = host=${host} port=${target.port || '5432'} user=${target.username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
      `logfile = ${join(directory, 'log')}`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    // It refuses to run as root.
    const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
    const child = spawn('pgbouncer', ['-q', ...account, file], { stdio: 'ignore' });
    const bouncer = new PgBouncer(`postgres://${target.username}@127.0.0.1:${port}/${name}`, directory, child);
    await bouncer.waitUntilItAnswers();
    return bouncer;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exit = once(this.child, 'exit');
      // At once: SIGINT would wait for its clients.
      this.child.kill('SIGTERM');
      await exit;
    }
    rmSync(this.directory, { recursive: true });
  }

  private async waitUntilItAnswers(): Promise<void> {
    const deadline = performance.now() + START_DEADLINE_MS;
    while (performance.now() < deadline && this.child.exitCode === null) {
      const client = new Client({ connectionString: this.url });
      try {
        await client.connect();
        await client.query('SELECT 1');
        return;
      } catch {
        await sleep(25);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
    throw new Error(`PgBouncer did not start:\n${readFileSync(join(this.directory, 'log'), 'utf8')}`);
  }
}
