import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RawAnswer, rawRequest, readAnswers } from './raw-http';

/** A request of which the service has read the head, and waits for the body. */
export class HeldRequest {
  private received = Buffer.alloc(0);

  private constructor(
    private readonly socket: Socket,
    private readonly body: string,
  ) {
    socket.on('data', (chunk: Buffer) => (this.received = Buffer.concat([this.received, chunk])));
  }

  /** Resolves when every guard has let it pass, which the service says by asking for the body. */
  static async begin(baseUrl: string, line: string, headers: Record<string, string>, body: object) {
    const { hostname, port } = new URL(baseUrl);
    const text = JSON.stringify(body);
    const held = new HeldRequest(connect({ host: hostname, port: Number(port) }), text);
    const framing = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
    held.socket.write(rawRequest(line, { Host: 'localhost', Expect: '100-continue', ...framing, ...headers }));
    await held.until(100);
    return held;
  }

  /** Sends the body, and resolves with the answer. */
  async finish(): Promise<RawAnswer> {
    this.socket.write(this.body);
    const answer = await this.until(200);
    this.socket.destroy();
    return answer;
  }

  private async until(least: number): Promise<RawAnswer> {
    for (;;) {
      const answer = readAnswers(this.received, false).find(({ status }) => status >= least);
      if (answer) return answer;
      await once(this.socket, 'data', { signal: AbortSignal.timeout(10_000) });
    }
  }
}
