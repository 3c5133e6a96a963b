import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** As much as is needed of what the types of Node 20 do not name. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } };

/**
 * V8 compiles the same WebAssembly once for all threads of a process, but only while somebody holds it: without this
 * every start of an embedded database would compile it anew.
 * @public nobody names it: whoever imports this module holds it
 */
export const compiledDatabase = new WebAssembly.Module(
  readFileSync(join(dirname(require.resolve('@electric-sql/pglite')), 'pglite.wasm')),
);
