import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { forgetLogs, Services } from '../services';

/** As much as is needed of what the types of Node 20 do not name. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } };

/**
 * V8 compiles the same WebAssembly once for all threads of a process, but only while somebody holds it: without this
 * every start of an embedded database would compile it anew.
 */
function compiledDatabase(): object {
  const directory = dirname(require.resolve('@electric-sql/pglite'));
  return new WebAssembly.Module(readFileSync(join(directory, 'pglite.wasm')));
}

const held = process.env.TEST_DATABASE_URL === undefined ? compiledDatabase() : undefined;

/** Gives the tests of a file the services of their worker, and keeps what these logged when a test fails. */
export default class E2eEnvironment extends TestEnvironment {
  readonly held = held;
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
