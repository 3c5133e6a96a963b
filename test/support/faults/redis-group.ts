import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../service/free-port';
import type { Certificates } from './certificates';
import { RedisProcess, tlsSettings } from './redis-process';

const CONFIGURATIONS = join(__dirname, '../../../deploy/ha');
const NAME = 'limits';
const PASSWORD = 'of-redis';
const SENTINELS = 3;
/** As docs/operate/high-availability.md has it for certificates of names. */
const BY_NAME = ['sentinel resolve-hostnames yes', 'sentinel announce-hostnames yes'];

/** A Redis, its replica, and the Sentinels of deploy/ha, which make the replica primary when the other is gone. */
export class RedisGroup {
  private constructor(
    readonly primary: RedisProcess,
    private readonly replica: RedisProcess,
    private readonly sentinels: ChildProcess[],
    private readonly directory: string,
    readonly url: string,
  ) {}

  /** With certificates all of them speak TLS, and call each other by that name. */
  static async start(certificates?: Certificates): Promise<RedisGroup> {
    const directory = mkdtempSync(join(tmpdir(), 'sentinel-'));
    // Each writes into its own who follows whom.
    const [primary, replica] = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const file = configuration('redis.conf', join(directory, `${name}.conf`));
        const tls = certificates && { port: await freePort(), certificates };
        return RedisProcess.start({ file, password: PASSWORD, ...(tls && { tls }) });
      }),
    );
    if (!primary || !replica) throw new Error('There are two');
    await replica.follow(primary);
    const ports = await Promise.all(Array.from({ length: SENTINELS }, freePort));
    const sentinels = ports.map((port) => startSentinel(directory, port, primary, certificates));
    const addresses = ports.map((port) => `${primary.address.host}:${port}`).join(',');
    const scheme = certificates ? 'rediss' : 'redis';
    const url = `${scheme}+sentinel://:${PASSWORD}@${addresses}/${NAME}`;
    return new RedisGroup(primary, replica, sentinels, directory, url);
  }

  /** Kills the primary; the Redis that takes its place. */
  async failOver(): Promise<RedisProcess> {
    await this.primary.stop('SIGKILL');
    return this.replica;
  }

  /** Lets the primary stand still, and the Sentinel that clients ask first; the Redis that takes its place. */
  freeze(): RedisProcess {
    this.primary.signal('SIGSTOP');
    this.sentinels[0]?.kill('SIGSTOP');
    return this.replica;
  }

  /** The one that clients ask first; two are left, and these are enough. */
  async loseSentinel(): Promise<void> {
    await endOf(this.sentinels.shift());
  }

  async end(): Promise<void> {
    await Promise.all(this.sentinels.map(endOf));
    await Promise.all([this.primary.end(), this.replica.end()]);
    rmSync(this.directory, { recursive: true });
  }
}

function startSentinel(
  directory: string,
  port: number,
  { address }: RedisProcess,
  certificates?: Certificates,
): ChildProcess {
  const tls = certificates ? tlsSettings({ port, certificates }).map((setting) => setting.join(' ')) : [];
  const listening = certificates ? ['port 0', ...tls, ...BY_NAME] : [`port ${port}`];
  const file = configuration('sentinel.conf', join(directory, `${port}.conf`), [
    ['port 26379', [...listening, 'bind 127.0.0.1'].join('\n')],
    ['10.0.0.1 6379', `${address.host} ${address.port}`],
  ]);
  return spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
}

/** Copies a file of deploy/ha, with its password and what else is of this machine; where to. */
function configuration(name: string, file: string, replacements: [from: string, to: string][] = []): string {
  const text = replacements.reduce(
    (known, [from, to]) => known.replace(from, to),
    readFileSync(join(CONFIGURATIONS, name), 'utf8').replaceAll(' PASSWORD', ` ${PASSWORD}`),
  );
  writeFileSync(file, text);
  return file;
}

/** Also of one that stands still. */
async function endOf(sentinel: ChildProcess | undefined): Promise<void> {
  if (!sentinel) return;
  const exit = once(sentinel, 'exit');
  sentinel.kill('SIGKILL');
  await exit;
}
