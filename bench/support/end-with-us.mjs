/** A benchmark that fails halfway leaves nothing running that would disturb the next one.
 * @param {import('node:child_process').ChildProcess} child */
export function endWithUs(child) {
  process.once('exit', () => child.kill('SIGKILL'));
}
