import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/settings/config';
import { readOrCreateSecretFile } from '../../platform/secrets/secret-file';
import { newPrivateJwk, parsePrivateKeySet, type PrivateJwk, type PrivateKeySet } from './private-jwk';

/** The file of the JWT keys cannot be used or written; the message is one line, meant for the operator. */
export class JwtKeysFileError extends Error {}

const NOT_OUR_KEYS =
  'it must be a JWK Set of private EC keys on P-256, each with a kid of its own, and signsFrom in RFC 3339 if any';

const serialized = (set: PrivateKeySet): string => `${JSON.stringify(set, null, 2)}\n`;
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The private keys of customer tokens at rest: `JWT_KEYS_FILE`, else a file in `DATA_DIR`. */
@Injectable()
export class JwtKeysFile {
  readonly path: string;
  private readonly isOurs: boolean;

  constructor(config: AppConfig) {
    this.isOurs = config.jwtKeysFile === undefined;
    this.path = config.jwtKeysFile ?? join(config.dataDir, 'jwt-keys.json');
  }

  /** The content; the file in `DATA_DIR` is made where it is missing. */
  async readOrCreate(): Promise<string> {
    if (this.isOurs) this.createIfMissing(newPrivateJwk());
    return this.read();
  }

  async read(): Promise<string> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (cause) {
      throw this.unusable(cause);
    }
  }

  parse(text: string): PrivateKeySet {
    try {
      return parsePrivateKeySet(text);
    } catch (cause) {
      throw this.unusable(cause);
    }
  }

  /** Of several processes that make the file at once one wins. */
  createIfMissing(key: PrivateJwk): void {
    if (existsSync(this.path)) return;
    try {
      readOrCreateSecretFile(this.path, () => serialized({ keys: [key] }));
    } catch (cause) {
      throw this.unwritable(cause);
    }
  }

  /** Changes the keys in one step: a reader finds the old file or the new one. */
  async change(change: (set: PrivateKeySet) => PrivateKeySet): Promise<PrivateKeySet> {
    // A symbolic link is followed: its target is replaced, not the link.
    const path = await realpath(this.path);
    const draftPath = `${path}.draft`;
    const draft = await this.openDraft(draftPath);
    try {
      const changed = change(this.parse(await this.read()));
      await restrict(draft, path);
      await draft.writeFile(serialized(changed));
      await draft.sync();
      await rename(draftPath, path);
      return changed;
    } catch (cause) {
      await rm(draftPath, { force: true });
      throw cause instanceof JwtKeysFileError ? cause : this.unwritable(cause);
    } finally {
      await draft.close();
    }
  }

  /** The draft is also the lock: two concurrent commands do not overwrite each other. */
  private async openDraft(path: string): Promise<FileHandle> {
    try {
      return await open(path, 'wx', 0o600);
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw this.unwritable(cause);
      throw new JwtKeysFileError(`Another command is changing the keys; if none is, delete ${path}`, { cause });
    }
  }

  private unusable(cause: unknown): JwtKeysFileError {
    const reason = codeOf(cause) ?? NOT_OUR_KEYS;
    return new JwtKeysFileError(`${this.path} cannot be used (${reason})`, { cause });
  }

  private unwritable(cause: unknown): JwtKeysFileError {
    return new JwtKeysFileError(`${this.path} cannot be written (${codeOf(cause) ?? String(cause)})`, { cause });
  }
}

/** Keeps the owner of the file, and its group's right to read; nobody else may read it. */
async function restrict(draft: FileHandle, path: string): Promise<void> {
  const [{ mode, uid, gid }, made] = [await stat(path), await draft.stat()];
  if (made.uid !== uid || made.gid !== gid) await draft.chown(uid, gid);
  await draft.chmod((mode & 0o040) | 0o600);
}
