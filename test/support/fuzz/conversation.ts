import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawAnswer, readAnswers } from '../http/raw-http';

/** A bound against hanging: the slowest client is cut off after half a minute. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 1_000;

export interface Conversation {
  answers: RawAnswer[];
  /** Whether what came is answers and nothing else. */
  isWhole: boolean;
}

interface Sending {
  /** Sent one after the other, with a pause between. */
  slowly?: Iterable<Buffer>;
  /** Sent as fast as the server takes it. */
  endlessly?: Buffer;
  /** Whether the client says when it has sent everything. */
  ends?: boolean;
}

/** Everything that the server says until it ends the connection. */
export function converse(baseUrl: string, bytes: Buffer, { slowly = [], endlessly, ends = false }: Sending = {}) {
  return new Promise<Conversation>((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const settle = () => {
      clearTimeout(bound);
      socket.destroy();
      const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD ';
      const answers = readAnswers(received, isHead);
      const isWhole =
        answers.every(({ status }) => status >= 100 && status < 600) &&
        !/^(?!HTTP\/1\.1 )./.test(received.toString('latin1'));
      resolve({ answers, isWhole });
    };
    const bound = setTimeout(() => {
      socket.destroy();
      reject(new Error(`The connection was not ended after ${PATIENCE_MS} ms`));
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    for (const event of ['end', 'error', 'close'] as const) socket.on(event, settle);
    const pour = () => {
      while (endlessly && socket.writable) if (!socket.write(endlessly)) return;
    };
    socket.on('drain', pour);
    socket.write(bytes);
    pour();
    void (async () => {
      for (const part of slowly) {
        await sleep(PAUSE_MS);
        if (!socket.writable) return;
        socket.write(part);
      }
      if (ends) socket.end();
    })();
  });
}

/** A request, or its beginning, of these lines. */
export const text = (...parts: string[]) => Buffer.from(parts.join('\r\n'), 'latin1');

/** Of answers to what is no request any more, only that they are not the server's fault. */
export const expectHarmless = ({ answers, isWhole }: Conversation) => {
  expect(isWhole).toBe(true);
  for (const { status, body } of answers) {
    if (status >= 500 && status !== 501) throw new Error(`${status} ${body}`);
    if (status >= 400 && body !== '') expect(JSON.parse(body)).toMatchObject({ status });
  }
};
