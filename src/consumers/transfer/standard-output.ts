import { TransferError } from './transfer-error';

/** The name by which commands ask for standard output in the place of a file. */
export const STANDARD_STREAM = '-';

/** Resolves when whoever reads standard output has room for more. */
export function writeToStandardOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (cause) => {
      if (cause) reject(new TransferError('Standard output was closed: the export is not complete', { cause }));
      else resolve();
    });
  });
}
