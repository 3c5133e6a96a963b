import type { AppConfig } from '../platform/config';

const DEFAULT_PORT = 3001;

/** Where operators reach the console, without a slash at the end; `port` when it listens on another than was set. */
export const consoleAddress = ({ consoleUrl, consolePort }: AppConfig, port = consolePort ?? DEFAULT_PORT): string =>
  consoleUrl ?? `http://127.0.0.1:${port}`;

/** The one-time link. */
export const signInLink = (config: AppConfig, token: string, port?: number): string =>
  `${consoleAddress(config, port)}/sign-in/${token}`;
