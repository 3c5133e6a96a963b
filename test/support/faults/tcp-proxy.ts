import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Stands between the service and a server that it needs, which can so be taken away and given back. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private state: 'open' | 'silent' | 'away' = 'open',
  ) {
    server.unref();
  }

  /** `target` is a host and a port, or the path of a Unix socket. */
  static async start(target: { host: string; port: number } | { path: string }): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server);
    server.on('connection', (client) => {
      if (proxy.state === 'open') proxy.join(client, connect(target));
      else if (proxy.state === 'silent') proxy.hold(client);
      else client.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** In front of a PostgreSQL, also of one behind a Unix socket; with the address by which it is reached. */
  static async toDatabase(databaseUrl: string): Promise<{ proxy: TcpProxy; url: string }> {
    const url = new URL(databaseUrl);
    const port = Number(url.port || 5432);
    const directory = url.searchParams.get('host');
    const proxy = await TcpProxy.start(
      directory === null ? { host: url.hostname, port } : { path: join(directory, `.s.PGSQL.${port}`) },
    );
    url.host = `127.0.0.1:${proxy.port}`;
    url.search = '';
    return { proxy, url: url.href };
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Ends every connection, and every new one at once. */
  takeAway(): void {
    this.state = 'away';
    this.endAll();
  }

  /** Lets nothing through and ends nothing, as a cable that is pulled: also new connections get no answer. */
  fallSilent(): void {
    this.state = 'silent';
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** What it held back in silence is lost. */
  giveBack(): void {
    if (this.state === 'silent') this.endAll();
    this.state = 'open';
  }

  stop(): void {
    this.takeAway();
    this.server.close();
  }

  private endAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private hold(client: Socket): void {
    this.sockets.add(client);
    client.on('error', () => undefined).on('close', () => this.sockets.delete(client));
  }

  private join(...pair: [Socket, Socket]): void {
    for (const [from, to] of [pair, pair.toReversed() as typeof pair]) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
