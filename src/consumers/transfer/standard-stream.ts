import { TransferError } from './transfer-error';

/** The file name that means standard output. */
export const STANDARD_STREAM = '-';

/** Resolves when the reader of standard output has room for more. */
export function writeToStandardOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (cause) => {
      if (cause) reject(new TransferError('Standard output was closed: the export is not complete', { cause }));
      else resolve();
    });
  });
}
