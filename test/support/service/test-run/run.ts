import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the processes of one run of the tests know it by; the first of them makes it up. */
export const RUN = (process.env.TEST_RUN ??= randomUUID().slice(0, 8));

/** Where everything lies that the services of this run leave. */
export const RUN_DIRECTORY = join(tmpdir(), `consumer-service-run-${RUN}`);

export const makeRunDirectory = (): void => void mkdirSync(RUN_DIRECTORY, { recursive: true });

export const removeRunDirectory = (): Promise<void> =>
  rm(RUN_DIRECTORY, { recursive: true, force: true, maxRetries: 5 });
