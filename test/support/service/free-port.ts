import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems hand out by themselves, for instance to whoever connects: Linux from 32,768, others from 49,152. */
const FIRST = 20_000;
const LAST = 32_000;

/** A TCP port on which nobody listens, and that no other test of this machine gets as long as this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await isUnused(port)) && (await reserve(port))) return port;
  }
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** The UDP port of the same number, which nothing else needs, is the mark that all processes see. */
async function reserve(port: number): Promise<boolean> {
  const mark = createSocket('udp4').bind(port, '127.0.0.1').unref();
  try {
    await once(mark, 'listening');
    return true;
  } catch {
    mark.close();
    return false;
  }
}
