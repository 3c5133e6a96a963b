import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from './end-with-us.mjs';
import { freePort } from './free-port.mjs';
import { sleepUntil } from './sleep-until.mjs';

/** A Redis of its own that keeps nothing on disk. */
export async function startRedis() {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', options, { cwd: '/tmp', stdio: 'ignore' });
  endWithUs(child);
  await sleepUntil(() => {
    try {
      return execFileSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8', stdio: 'pipe' }).includes(
        'PONG',
      );
    } catch {
      return false;
    }
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
