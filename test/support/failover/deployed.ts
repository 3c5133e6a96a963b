import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a file of `deploy/ha`. */
export const deployed = (name: string): string => readFileSync(join('deploy/ha', name), 'utf8');

/** The settings of an example there, with those of this machine in their places. */
export function exampleEnvironment(name: string, values: Record<string, string>): Record<string, string> {
  const lines = deployed(name).matchAll(/^(\w+)=(.*)$/gm);
  const example = Object.fromEntries([...lines].map(([, key = '', value = '']) => [key, value]));
  const unknown = Object.keys(values).filter((key) => !(key in example));
  if (unknown.length > 0) throw new Error(`${name} has no ${unknown.join(', ')}`);
  return { ...example, ...values };
}
