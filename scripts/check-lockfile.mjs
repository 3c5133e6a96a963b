// Fails when package-lock.json would let a package come from elsewhere than the registry of the installation, or unchecked.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @type {{ packages: Record<string, { integrity?: string, resolved?: string, link?: boolean, version?: string }> }} */
const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'));
const entries = Object.entries(packages).filter(([path]) => path !== '');
const faults = entries.flatMap(([path, { integrity = '', resolved, link, version = '' }]) => [
  // The registry is named by whoever installs: a host in here would be asked whatever they chose.
  ...(resolved === undefined && !link ? [] : [`${path} comes from ${resolved ?? 'a link'}`]),
  ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ? [] : [`${path} has no SHA-512 digest`]),
  ...(/^\d+\.\d+\.\d+/.test(version) ? [] : [`${path} has no version`]),
]);
for (const fault of faults) console.error(fault);
console.log(`${entries.length} packages in the lock file, ${faults.length} faults`);
if (faults.length > 0 || entries.length === 0) process.exitCode = 1;
