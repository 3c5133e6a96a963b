import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { freePort } from '../service/free-port';

const SERVER = `
  import { PGlite } from '@electric-sql/pglite';
  import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
  const port = Number(process.env.PORT);
  await new PGLiteSocketServer({ db: await PGlite.create(), host: '127.0.0.1', port, maxConnections: 10 }).start();
  console.log('ready');`;

/** The database of another system: in memory, and nothing of the service's. */
export class PartnerDatabase {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
  ) {}

  static async start(): Promise<PartnerDatabase> {
    const port = await freePort();
    const server = spawn(process.execPath, ['--input-type=module', '--eval', SERVER], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout, 'data');
    return new PartnerDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`, server);
  }

  async query<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    this.server.kill('SIGTERM');
    await once(this.server, 'exit');
  }
}
