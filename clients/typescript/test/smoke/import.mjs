import { createRequire } from 'node:module';
import * as imported from 'consumer-service-client';
import { smoke } from './smoke.cjs';

const required = createRequire(import.meta.url)('consumer-service-client');
for (const name of Object.keys(required)) {
  // One class in one process, or `instanceof` would fail between the two formats.
  if (imported[name] !== required[name]) throw new Error(`${name} is another one for require`);
}
await smoke(imported);
