import { TestEnvironment } from 'jest-environment-node';
import { forgetLogs, Services } from '../services';

/** Gives the tests of a file the services of their worker, and keeps what these logged when a test fails. */
export default class E2eEnvironment extends TestEnvironment {
  private readonly services = new Services();
  private readonly testPath: string;
  private hasFailed = false;

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context);
    this.testPath = context.testPath;
  }

  override async setup(): Promise<void> {
    await super.setup();
    forgetLogs(this.testPath);
    Object.assign(this.global, { services: this.services });
  }

  override async teardown(): Promise<void> {
    if (this.hasFailed) this.services.keepLogs(this.testPath);
    await this.services.closeOwn();
    await super.teardown();
  }

  handleTestEvent({ name, test }: { name: string; test?: { errors: unknown[] } }): void {
    if (name === 'hook_failure' || (name === 'test_done' && test?.errors.length !== 0)) this.hasFailed = true;
  }
}
