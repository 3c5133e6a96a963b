import type { AppConfig } from './config';

/** How a person begins a command on the database of a service that was started by npm. */
export const commandLine = ({ isSandbox, dataDir }: AppConfig): string =>
  `${isSandbox ? `SANDBOX=true DATA_DIR=${dataDir} ` : ''}npm run --silent cli --`;
