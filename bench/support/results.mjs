import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { holds, line } from './judge.mjs';

/**
 * Keeps a measurement with the machine and the versions that it holds for.
 *
 * @param {string} name
 * @param {string} title
 * @param {import('./judge.mjs').Measurement} measurement
 */
export function writeResult(name, title, { table, figures }) {
  const processors = cpus();
  const result = {
    scenario: name,
    title,
    date: new Date().toISOString().slice(0, 10),
    machine: { processor: processors[0]?.model, cores: processors.length },
    versions: { node: process.version, ...versionsOf('@nestjs/core', 'express', 'pg', 'typeorm', 'bcryptjs') },
    figures: figures.map((figure) => ({ ...figure, holds: holds(figure) })),
    table,
  };
  writeFileSync(resolve(import.meta.dirname, `../results/${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  for (const figure of figures) console.log(`judged  ${line(figure)}`);
}

/** @param {string[]} packages */
function versionsOf(...packages) {
  const { packages: locked } = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'),
  );
  return Object.fromEntries(packages.map((name) => [name, locked[`node_modules/${name}`].version]));
}
