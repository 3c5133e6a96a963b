import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '../../../src/platform/logger';

/** A log that is written as the service writes its own, into a file that can be read meanwhile. */
export class LogFile {
  private readonly path: string;
  readonly logger;

  constructor(directory: string, name: string) {
    this.path = join(directory, name);
    this.logger = createLogger('info', openSync(this.path, 'a'));
  }

  get text(): string {
    return readFileSync(this.path, 'utf8');
  }

  lines(): Record<string, unknown>[] {
    const lines = this.text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  about(requestId: string): Record<string, unknown>[] {
    return this.lines().filter((line) => line.requestId === requestId);
  }
}
