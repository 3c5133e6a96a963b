// Loaded into a process by NODE_OPTIONS: at each SIGUSR2 it tells on standard error how many bytes of its heap are in use.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  /** @type {() => void} */
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    // What a first collection only finalizes, the second frees.
    collect();
    setImmediate(() => {
      collect();
      process.stderr.write(`heap in use: ${process.memoryUsage().heapUsed}\n`);
    });
  });
}
