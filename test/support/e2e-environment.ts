import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';

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

export default class E2eEnvironment extends TestEnvironment {
  readonly held = held;
}
