// Runs the built command line once for each message, one after another, and keeps what it has loaded in between.
const { moveDate, realEpochMs } = require('../clock/moved-date.cjs');

const program = require.resolve('../../../../dist/cli.js');

const exit = process.exit.bind(process);
process.on('disconnect', () => exit());

/** Thrown where a command ends its process. */
const ended = new Error('The command has ended');

/** @type {{ stdout: string, stderr: string, exitCode: number | undefined } | null} */
let running = null;

/** @param {'stdout' | 'stderr'} stream */
const collect = (stream) => (/** @type {string} */ text, /** @type {(() => void) | undefined} */ done) => {
  // What comes after the end of a process is never printed.
  if (running && running.exitCode === undefined) running[stream] += text;
  done?.();
  return true;
};

Reflect.set(process.stdout, 'write', collect('stdout'));
Reflect.set(process.stderr, 'write', collect('stderr'));
Reflect.set(process, 'exit', (/** @type {number | undefined} */ code) => {
  if (running) running.exitCode ??= Number(code ?? process.exitCode ?? 0);
  throw ended;
});
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
process.on('unhandledRejection', (reason) => {
  if (reason !== ended) throw reason;
});

/** @type {number | undefined} */
let stoppedAtMs;
moveDate(() => stoppedAtMs ?? realEpochMs());

process.on('message', (/** @type {import('./warm-cli').Command} */ { args, env, epochMs }) => {
  // From here on the channel keeps nothing alive: when nothing else does, the command is done.
  process.channel?.unref();
  stoppedAtMs = epochMs;
  process.env = { ...env };
  process.argv = [process.argv[0] ?? '', program, ...args];
  process.exitCode = undefined;
  running = { stdout: '', stderr: '', exitCode: undefined };
  Reflect.deleteProperty(require.cache, program);
  require(program);
});

process.on('beforeExit', () => {
  if (!running) return;
  const { stdout, stderr, exitCode } = running;
  running = null;
  process.channel?.ref();
  process.send?.({ stdout, stderr, exitCode: exitCode ?? Number(process.exitCode ?? 0) });
});
