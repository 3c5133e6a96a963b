import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { STANDARD_STREAM } from './export-output';
import { fileError, TransferError } from './transfer-error';

/** The longest line in bytes, without its end: as long as a request's body may be. */
export const MAX_LINE_BYTES = 16_384;

const CHUNK_BYTES = 65_536;
const BATCH_LINES = 500;
const BATCH_BYTES = 1_048_576;
const LF = 10;
const CR = 13;

/** How far a file has been read. */
export interface Position {
  bytes: number;
  lines: number;
}

/** A line that is not empty. */
export interface Line {
  /** Without its end; null when it is too long. */
  bytes: Buffer | null;
  /** Where it ends; `lines` is its own number, counted from 1 with the empty ones. */
  end: Position;
}

/** A regular file of lines, read in constant memory. */
export class NdjsonFile {
  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    /** In bytes. */
    readonly size: number,
    private readonly modifiedMs: number,
  ) {}

  static async open(path: string): Promise<NdjsonFile> {
    if (path === STANDARD_STREAM)
      throw new TransferError('Give the name of a file: it is read twice, as standard input cannot be');
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw fileError(path, error);
    });
    const stat = await handle.stat();
    if (stat.isFile()) return new NdjsonFile(path, handle, stat.size, stat.mtimeMs);
    await handle.close();
    throw new TransferError(`${path}: only a regular file can be imported, because it is read twice`);
  }

  /** SHA-256 of the content. */
  async digest(): Promise<Buffer> {
    const hash = createHash('sha256');
    for await (const chunk of this.chunks(0)) hash.update(chunk);
    return hash.digest();
  }

  /** Up to 500 lines and about a mebibyte at a time, never none. */
  async *batches(from: Position): AsyncGenerator<[Line, ...Line[]]> {
    let batch: Line[] = [];
    let bytes = 0;
    for await (const line of this.lines(from)) {
      batch.push(line);
      bytes += line.bytes?.length ?? 0;
      if (batch.length < BATCH_LINES && bytes < BATCH_BYTES) continue;
      yield batch as [Line, ...Line[]];
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch as [Line, ...Line[]];
  }

  /** The content that was read must match the digest. */
  async assertUnchanged(): Promise<void> {
    const { size, mtimeMs } = await this.handle.stat();
    if (size !== this.size || mtimeMs !== this.modifiedMs) {
      throw new TransferError(`${this.path}: the file has changed while it was read`);
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private async *lines(from: Position): AsyncGenerator<Line> {
    const end = { ...from };
    let offset = from.bytes;
    let held: Buffer = Buffer.alloc(0);
    for await (const chunk of this.chunks(offset)) {
      let start = 0;
      for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, start)) {
        const bytes = withoutReturn(join(held, chunk.subarray(start, lf)));
        held = Buffer.alloc(0);
        start = lf + 1;
        end.bytes = offset + start;
        end.lines += 1;
        if (bytes.length > 0) yield lineOf(bytes, end);
      }
      held = join(held, chunk.subarray(start));
      offset += chunk.length;
    }
    if (held.length > 0) yield lineOf(withoutReturn(held), { bytes: offset, lines: end.lines + 1 });
  }

  /** Each chunk is gone when the next one comes. */
  private async *chunks(offset: number): AsyncGenerator<Buffer> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let position = offset; ;) {
      const { bytesRead } = await this.handle.read(chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      position += bytesRead;
    }
  }
}

const lineOf = (bytes: Buffer, end: Position): Line => ({
  bytes: bytes.length > MAX_LINE_BYTES ? null : bytes,
  end: { ...end },
});

const withoutReturn = (bytes: Buffer): Buffer => (bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes);

/** A copy of both; a line that is already too long does not grow. */
const join = (held: Buffer, more: Buffer): Buffer =>
  held.length > MAX_LINE_BYTES + 1 ? held : Buffer.concat([held, more]);
