/** Jest's `testEnvironment` beside `NodeRuntime`: the realm of the process, with no context of its own. */
export default class NodeEnvironment {
  readonly global = globalThis;
  private readonly replaced = { console: globalThis.console, exit: process.exit.bind(process) };

  /** There is none. */
  getVmContext(): null {
    return null;
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  /** Takes back what Jest puts in their place for a file. */
  teardown(): Promise<void> {
    globalThis.console = this.replaced.console;
    process.exit = this.replaced.exit;
    return Promise.resolve();
  }
}
