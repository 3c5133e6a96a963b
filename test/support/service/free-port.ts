import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems hand out by themselves, for instance to whoever connects: Linux from 32,768, others from 49,152. */
const FIRST = 20_000;
const LAST = 32_000;

/** A TCP port on which nobody listens, and that no other test of this machine gets as long as this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await reserve(port)) && (await isUnused(port))) return port;
  }
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  if (!(await listens(server))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** The UDP port of the same number, which nothing else needs, is the mark that all processes see. */
async function reserve(port: number): Promise<boolean> {
  const mark = createSocket('udp4').bind(port, '127.0.0.1').unref();
  if (await listens(mark)) return true;
  mark.close();
  return false;
}

/** Whether it got its port, or another process has it. */
async function listens(server: EventEmitter): Promise<boolean> {
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  }
}
