// Loaded into a process by NODE_OPTIONS: at its end it tells on standard error how much memory it has ever had.
const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('exit', () => {
    process.stderr.write(/VmHWM:.*/.exec(readFileSync('/proc/self/status', 'utf8'))?.[0] ?? '');
  });
}
