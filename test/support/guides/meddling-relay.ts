import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** By method and path, the scenarios of the first requests there. */
export type Meddling = Record<string, string[]>;

const PASSED_ON = /^(x-|authorization$|content-type$|idempotency-key$|if-match$)/;
const PASSED_BACK = ['content-type', 'etag', 'retry-after'];

/** Stands before a sandbox, and asks it for answers that a program has to cope with. */
export class MeddlingRelay {
  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private readonly meddling: Meddling,
  ) {
    server.on('request', (request, response) => {
      // A lost connection is lost to the program too.
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string, meddling: Meddling): Promise<MeddlingRelay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MeddlingRelay(server, target, structuredClone(meddling));
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = await buffer(request);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (PASSED_ON.test(name)) headers.set(name, String(value));
    }
    const scenario = this.meddling[`${method} ${url}`]?.shift();
    if (scenario !== undefined) headers.set('X-Sandbox-Scenario', scenario);
    const sent = body.length === 0 ? {} : { body: new Uint8Array(body) };
    const answer = await fetch(this.target + url, { method, headers, ...sent });
    for (const name of PASSED_BACK) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  }
}
