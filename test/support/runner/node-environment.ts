/** What Jest replaces for a file. */
const real = { console: globalThis.console, exit: process.exit.bind(process) };

/** Jest's `testEnvironment` beside `NodeRuntime`: the realm of the process, with no context of its own. */
export default class NodeEnvironment {
  readonly global = globalThis;

  /** There is none. */
  getVmContext(): null {
    return null;
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  teardown(): Promise<void> {
    globalThis.console = real.console;
    process.exit = real.exit;
    return Promise.resolve();
  }
}
