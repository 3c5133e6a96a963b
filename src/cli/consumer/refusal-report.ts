import { type FileHandle, open } from 'node:fs/promises';
import { fileError } from '../../consumers/transfer/transfer-error';
import { printable } from '../text';

/** One JSON object a line for each record that an import refuses, in a file or through `print`. */
export class RefusalReport {
  private constructor(
    private readonly file: FileHandle | null,
    private readonly print: (lines: string) => void,
  ) {}

  /** A new file, readable only by its owner; an import that continues appends to its file. */
  static async open(path: string | undefined, goesOn: boolean, print: (lines: string) => void): Promise<RefusalReport> {
    if (path === undefined) return new RefusalReport(null, print);
    const file = await open(path, goesOn ? 'a' : 'ax', 0o600).catch((error: unknown) => {
      throw fileError(path, error);
    });
    return new RefusalReport(file, print);
  }

  async add(refusals: object[]): Promise<void> {
    if (refusals.length === 0) return;
    const lines = refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join('');
    if (this.file) await this.file.appendFile(lines);
    else this.print(lines.split('\n').map(printable).join('\n'));
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}
