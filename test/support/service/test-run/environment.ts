import NodeEnvironment from '../../runner/node-environment';
import { forgetLogs, Services } from '../services';

/** Gives the tests of a file the services of their worker, and keeps what these logged when a test fails. */
export default class E2eEnvironment extends NodeEnvironment {
  private readonly services = new Services();
  private readonly testPath: string;
  private hasFailed = false;

  constructor(_config: unknown, { testPath }: { testPath: string }) {
    super();
    this.testPath = testPath;
  }

  override async setup(): Promise<void> {
    await super.setup();
    forgetLogs(this.testPath);
    Services.ofFile = this.services;
  }

  override async teardown(): Promise<void> {
    try {
      if (this.hasFailed) this.services.keepLogs(this.testPath);
      await this.services.closeOwn();
    } finally {
      await super.teardown();
    }
  }

  handleTestEvent({ name, test }: { name: string; test?: { errors: unknown[] } }): void {
    if (name === 'hook_failure' || (name === 'test_done' && test?.errors.length !== 0)) this.hasFailed = true;
  }
}
