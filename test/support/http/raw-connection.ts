import { connect, type Socket } from 'node:net';
import { type RawAnswer, readAnswers } from './raw-http';

const PATIENCE_MS = 20_000;

/** A connection that is kept for one request after the other, whatever their bytes are, and made anew when the server ends it. */
export class RawConnection {
  private socket: Socket | undefined;
  private readonly host: string;
  private readonly port: number;

  constructor(baseUrl: string) {
    const { hostname, port } = new URL(baseUrl);
    this.host = hostname;
    this.port = Number(port);
  }

  /** The final answer to one request. */
  exchange(request: Buffer): Promise<RawAnswer> {
    const socket = (this.socket ??= connect({ host: this.host, port: this.port, noDelay: true }));
    const isHead = request.subarray(0, 5).toString('latin1') === 'HEAD ';
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const end = (outcome: () => void, isOver: boolean) => {
        clearTimeout(bound);
        socket.removeAllListeners();
        // An error that comes after the answer is of no interest, and must not go uncaught.
        socket.on('error', () => undefined);
        if (isOver) this.close();
        outcome();
      };
      const fail = (reason: string) => {
        end(() => {
          reject(new Error(`${reason}; received: ${received.toString('latin1').slice(0, 500)}`));
        }, true);
      };
      const bound = setTimeout(() => {
        fail(`No answer after ${PATIENCE_MS} ms`);
      }, PATIENCE_MS);
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const answer = readAnswers(received, isHead).find(({ status }) => status >= 200);
        if (answer) {
          end(() => {
            resolve(answer);
          }, answer.headers.connection === 'close');
        }
      });
      for (const event of ['close', 'end', 'error'] as const) {
        socket.on(event, () => {
          fail('The connection ended without an answer');
        });
      }
      socket.write(request);
    });
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }
}
