import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { VERSION_DIRECTORY } from '../faults/postgres-cluster';
import { until } from '../until';

export const SUPERUSER = { user: 'postgres', password: 'of-the-superuser' };
export const REPLICATOR = { user: 'replicator', password: 'of-replication' };

/** What the PostgreSQL of a server keeps on its disk, and the copy of it: as docs/operate/backup.md restores it. */
export class NodeFiles {
  constructor(
    private readonly directory: string,
    private readonly archive: string,
    private readonly port: number,
  ) {}

  get data(): string {
    return join(this.directory, 'data');
  }

  /** Copies them while the server runs. */
  backUp(): void {
    run('pg_basebackup', '--pgdata', this.backup, '--checkpoint', 'fast', '--dbname', this.urlOf(REPLICATOR));
  }

  /** Once the server has stopped: puts the copy in their place, and replays what is archived until this time. */
  async restoreTo(time: string): Promise<void> {
    this.delete();
    renameSync(this.backup, this.data);
    writeFileSync(join(this.data, 'recovery.signal'), '');
    const settings = [
      `restore_command = 'cp ${this.archive}/%f %p'`,
      `recovery_target_time = '${time}'`,
      `recovery_target_action = 'promote'`,
    ];
    appendFileSync(join(this.data, 'postgresql.conf'), settings.join('\n'));
    run('pg_ctl', 'start', '--wait', '--pgdata', this.data, '--log', join(this.directory, 'restore.log'));
    await until(async () => {
      const client = new Client({ connectionString: this.urlOf(SUPERUSER) });
      await client.connect();
      const { rows } = await client.query('SELECT 1 WHERE NOT pg_is_in_recovery()');
      await client.end();
      return rows.length > 0;
    });
    run('pg_ctl', 'stop', '--wait', '--pgdata', this.data);
  }

  delete(): void {
    rmSync(this.data, { recursive: true });
  }

  private get backup(): string {
    return join(this.directory, 'backup');
  }

  private urlOf({ user, password }: typeof SUPERUSER): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/postgres`;
  }
}

const idOf = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));

/** PostgreSQL refuses to run as root. */
export const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;

/** Of PostgreSQL's user, who alone may look into it. */
export function makeDirectory(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  if (owner) chownSync(path, owner.uid, owner.gid);
}

function run(program: string, ...args: string[]): void {
  execFileSync(join(VERSION_DIRECTORY, 'bin', program), args, { cwd: '/', ...owner, stdio: 'ignore' });
}
