import { access, type FileHandle, link, open, rm } from 'node:fs/promises';
import { randomSecret } from '../../../platform/random';
import { fileError } from '../transfer-error';

/** A file, readable only by its owner, that gets its name when it is complete, and replaces no other. */
export class NewFile {
  private constructor(
    private readonly path: string,
    private readonly draft: string,
    private readonly handle: FileHandle,
  ) {}

  static async create(path: string): Promise<NewFile> {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) throw fileError(path, { code: 'EEXIST' });
    const draft = `${path}.${randomSecret(6).toString('hex')}.partial`;
    const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
      throw fileError(path, error);
    });
    return new NewFile(path, draft, handle);
  }

  /** Resolves when the operating system has taken the text. */
  write(text: string): Promise<void> {
    return this.handle.appendFile(text);
  }

  /** Resolves when the disk has the text, too. */
  sync(): Promise<void> {
    return this.handle.sync();
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    await link(this.draft, this.path).catch((error: unknown) => {
      throw fileError(this.path, error);
    });
  }

  /** Removes the draft, whatever came of it. */
  async close(): Promise<void> {
    await this.handle.close();
    await rm(this.draft, { force: true });
  }
}
