import type { AppConfig } from '../platform/settings/config';

const DEFAULT_PORT = 3001;

/** Where operators reach the console, without a slash at the end. */
export const consoleAddress = ({ consoleUrl, consolePort = DEFAULT_PORT }: AppConfig): string =>
  consoleUrl ?? `http://127.0.0.1:${consolePort}`;

/** The one-time link. */
export const signInLink = (config: AppConfig, token: string): string => `${consoleAddress(config)}/sign-in/${token}`;
