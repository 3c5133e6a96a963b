/** @type {Map<import('node:child_process').ChildProcess, NodeJS.Signals>} */
const running = new Map();

process.once('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/**
 * A benchmark that fails or is stopped halfway leaves nothing running that would disturb the next one.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal what ends it at once, with its own children
 */
export function endWithUs(child, signal = 'SIGKILL') {
  running.set(child, signal);
  child.once('exit', () => running.delete(child));
}
