import type { KeyObject } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { SettingsError } from '../../platform/settings/settings-error';
import type { Clock } from '../../platform/clock';
import { type JwtKeysFile, JwtKeysFileError } from './jwt-keys-file';
import { signingIndex } from './key-succession';
import { keyObjects, kidOf, type PublicJwk, publicJwk } from './private-jwk';

/** How often the file is read again, in milliseconds. */
const RELOAD_INTERVAL = 2_000;

/** A key that signs or verifies customer tokens. */
export interface JwtKey {
  kid: string;
  signsFrom?: string | undefined;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

/** The keys of customer tokens, parsed only when their file changes, because parsing costs more than verifying. */
export class JwtKeys implements OnApplicationShutdown {
  /** All keys, also those that do not sign yet: verifiers must know a key before its first token. */
  publicKeySet: { keys: PublicJwk[] } = { keys: [] };
  private keys: JwtKey[] = [];
  /** The content of the file when it was last read, or why it could not be read. */
  private seen = '';
  private timer: NodeJS.Timeout | undefined;

  /** Without `open` there are no keys: a command signs nothing and needs no file. */
  constructor(
    private readonly file: JwtKeysFile,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Reads the file, and follows its changes from then on. */
  async open(): Promise<this> {
    try {
      this.seen = await this.file.readOrCreate();
      this.use(this.seen);
    } catch (cause) {
      if (!(cause instanceof JwtKeysFileError)) throw cause;
      throw new SettingsError([`JWT_KEYS_FILE: ${cause.message}`], { cause });
    }
    this.reloadLater();
    return this;
  }

  get signing(): JwtKey {
    const key = this.keys[signingIndex(this.keys, this.clock.epochMs())];
    if (!key) throw new Error('There is no signing key');
    return key;
  }

  find(kid: unknown): JwtKey | undefined {
    return this.keys.find((key) => key.kid === kid);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private use(text: string): void {
    const { keys } = this.file.parse(text);
    this.keys = keys.map((jwk) => ({ kid: kidOf(jwk), signsFrom: jwk.signsFrom, ...keyObjects(jwk) }));
    this.publicKeySet = { keys: keys.map(publicJwk) };
  }

  private reloadLater(): void {
    this.timer = setTimeout(() => {
      void this.reload().then(() => {
        if (this.timer) this.reloadLater();
      });
    }, RELOAD_INTERVAL).unref();
  }

  /** Compares contents, because times of change are coarse. A refused content is logged once. */
  private async reload(): Promise<void> {
    const content = await this.file.read().catch((error: unknown) => error);
    const seen = String(content);
    if (seen === this.seen) return;
    this.seen = seen;
    try {
      if (typeof content !== 'string') throw content;
      this.use(content);
      this.logger.info({ kids: this.keys.map(({ kid }) => kid) }, 'The keys of customer tokens have changed');
    } catch (err) {
      this.logger.error({ err }, 'The keys of customer tokens have changed and cannot be used: the former ones stay');
    }
  }
}
