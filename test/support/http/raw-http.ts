import { connect, type Socket } from 'node:net';
import { expectDocumented } from '../api/documented-answers';

/** How long a server may take to answer and to close; a bound against hanging, not an expectation. */
const PATIENCE_MS = 10_000;

export interface RawAnswer {
  status: number;
  /** By lower-case name; the values of a repeated field joined by a comma. */
  headers: Record<string, string>;
  body: string;
}

export interface RawExchange {
  /** Every answer that came, interim ones (1xx) included. */
  answers: RawAnswer[];
  /** Whether the server had ended the connection. */
  closed: boolean;
}

export interface RawOptions {
  /** Sent again and again after the bytes, until the connection ends. */
  endless?: Buffer;
  /** Wait for the end of the connection instead of for the first final answer. */
  untilClosed?: boolean;
}

/** Sends exactly these bytes and reads what comes back, however wrong they are as HTTP. */
export async function sendRaw(
  baseUrl: string,
  bytes: string | Buffer,
  { endless, untilClosed = false }: RawOptions = {},
): Promise<RawExchange> {
  const request = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  const isHead = request.subarray(0, 5).toString('latin1') === 'HEAD ';
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = Buffer.alloc(0);
    const settle = (closed: boolean) => {
      const answers = readAnswers(received, isHead);
      const isDone = untilClosed ? closed : closed || answers.some((answer) => answer.status >= 200);
      if (!isDone) return;
      clearTimeout(bound);
      socket.destroy();
      resolve({ answers, closed });
    };
    const bound = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No end after ${PATIENCE_MS} ms; received: ${received.toString('latin1').slice(0, 500)}`));
    }, PATIENCE_MS);
    socket.on('connect', () => {
      socket.write(request);
      if (endless) sendEndlessly(socket, endless);
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      settle(false);
    });
    socket.on('end', () => {
      settle(true);
    });
    // The server may close while bytes are under way; what it said before counts.
    socket.on('error', () => {
      settle(true);
    });
    socket.on('close', () => {
      settle(true);
    });
  });
}

const REQUEST_LINE = /^([A-Z]+) (\/\S*) HTTP\/1\.1\r\n/;

/** The only final answer to one request; one that can be read must be answered as the API's document says. */
export async function answerTo(baseUrl: string, bytes: string | Buffer, options: RawOptions = {}): Promise<RawAnswer> {
  const { answers } = await sendRaw(baseUrl, bytes, options);
  const [answer, ...others] = answers;
  if (!answer || others.length > 0) throw new Error(`There were ${answers.length} answers instead of one`);
  const [, method, target] = REQUEST_LINE.exec(typeof bytes === 'string' ? bytes : bytes.toString('latin1')) ?? [];
  if (method !== undefined && target !== undefined) {
    expectDocumented(method, target, { ...answer, header: (name) => answer.headers[name.toLowerCase()] });
  }
  return answer;
}

/** A request as text: `POST /api/v1/login`, its header lines, its body as it is. */
export const rawRequest = (line: string, headers: Record<string, string> | string[] = {}, body = ''): string => {
  const lines = Array.isArray(headers) ? headers : Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n');
};

/** Slowly enough to read what is answered meanwhile: a server resets the connection of whoever goes on for a megabyte. */
function sendEndlessly(socket: Socket, chunk: Buffer): void {
  const timer = setInterval(() => {
    if (socket.writable && !socket.writableNeedDrain) socket.write(chunk);
  }, 1);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** The answers that are complete; what follows them is still on its way. */
export function readAnswers(received: Buffer, isHead: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; ;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
      const known = headers[name.toLowerCase()];
      headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`;
    }
    const status = Number(statusLine.split(' ', 2)[1]);
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0;
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    answers.push({ status, headers, body: body.toString() });
    rest = rest.subarray(end + 4 + length);
  }
}
