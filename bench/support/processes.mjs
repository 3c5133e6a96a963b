import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** CPU time stands in `/proc` in hundredths of a second. */
const TICK_MS = 10;

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/**
 * A Node program that ends with this one, so that a run that fails leaves nothing behind.
 *
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function startNode(args, options) {
  const child = spawn(process.execPath, args, options);
  const exit = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    child.kill();
    await exit;
  };
  return { pid: Number(child.pid), hasEnded: () => child.exitCode !== null, stop };
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** CPU time of a process and its children, those that have ended included. @param {number} pid */
export function cpuMs(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return [String(pid), ...children].reduce((sum, each) => sum + ticksOf(each), 0) * TICK_MS;
}

/** Fields 14 to 17 of proc(5), behind the program's name, which may hold anything. @param {string} pid */
function ticksOf(pid) {
  try {
    const [, fields = ''] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return fields
      .split(' ', 15)
      .slice(11)
      .reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0; // It has ended meanwhile, and its parent has its time.
  }
}

/** @param {number} pid */
export function residentMegabytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
