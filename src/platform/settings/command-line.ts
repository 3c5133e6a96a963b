import { relative } from 'node:path';
import type { AppConfig } from './config';

/** How a person begins a command on the database of this service; `outside` stands for a directory elsewhere. */
export function commandLine({ isSandbox, databaseUrl, dataDir }: AppConfig, outside = dataDir): string {
  const directory = relative(process.cwd(), dataDir);
  const settings = [
    ...(isSandbox ? ['SANDBOX=true'] : []),
    ...(isSandbox && databaseUrl === undefined ? [`DATA_DIR=${directory.startsWith('..') ? outside : directory}`] : []),
  ];
  return [...settings, 'npm run --silent cli --'].join(' ');
}
