import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { STANDARD_STREAM } from '../standard-stream';
import { fileError, TransferError } from '../transfer-error';

const CHUNK_BYTES = 65_536;

/** What is read from start to end. */
export type ReadableFile = Pick<ImportFile, 'path' | 'chunks'>;

/** A regular file, read in constant memory. */
export class ImportFile {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    /** In bytes. */
    readonly size: number,
    private readonly modifiedMs: number,
  ) {}

  static async open(path: string): Promise<ImportFile> {
    if (path === STANDARD_STREAM)
      throw new TransferError('Name a file: it is read twice, and standard input cannot be');
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw fileError(path, error);
    });
    const stat = await handle.stat();
    if (stat.isFile()) return new ImportFile(path, handle, stat.size, stat.mtimeMs);
    await handle.close();
    throw new TransferError(`${path}: only a regular file can be imported, because it is read twice`);
  }

  /** SHA-256 of the content. */
  async digest(): Promise<Buffer> {
    const hash = createHash('sha256');
    for await (const chunk of this.chunks(0)) hash.update(chunk);
    return hash.digest();
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

  /** The content from there on; each chunk is gone when the next one comes. */
  async *chunks(offset: number): AsyncGenerator<Buffer> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let position = offset; ;) {
      const { bytesRead } = await this.handle.read(chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      position += bytesRead;
    }
  }
}
