import { PGlite } from '@electric-sql/pglite';

/** @param {string} letter */
const type = (letter) => letter.charCodeAt(0);
const TERMINATE = type('X');
/** Parse, Bind, Describe, Execute, Close and Flush: the messages of an extended query before its Sync. */
const EXTENDED_QUERY = new Set(['P', 'B', 'D', 'E', 'C', 'H'].map(type));
/** A client's own names a user and settings that mean nothing here; a faulty one would end PGlite. */
const STARTUP = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1');
const SYNC = Uint8Array.of(type('S'), 0, 0, 0, 4);

/** How PGlite throws an ordinary SQL error; it swallows everything else that is thrown and tries again for ever. */
const SQL_ERROR_STATUS = 100;

/**
 * PGlite behind pglite-socket, which gives its clients turns by the message and keeps to one only in a transaction:
 * an extended query must count as one too, or waiting clients overwrite each other's unnamed statement.
 */
export class SharedPGlite extends PGlite {
  #inExtendedQuery = false;
  #onFatal;

  /**
   * @param {import('@electric-sql/pglite').PGliteOptions} options
   * @param {(reason: string) => void} onFatal called, possibly more than once, when the database must not go on
   */
  constructor(options, onFatal) {
    super(options);
    this.#onFatal = onFatal;
    this.waitReady.then(this.#reportCrashes.bind(this), () => undefined);
  }

  /** @override */
  isInTransaction() {
    return this.#inExtendedQuery || super.isInTransaction();
  }

  /**
   * @override
   * @param {Uint8Array} message
   * @param {Parameters<PGlite['execProtocolRawStream']>[1]} options
   */
  async execProtocolRawStream(message, options) {
    if (message[0] !== TERMINATE) this.#inExtendedQuery = EXTENDED_QUERY.has(Number(message[0]));
    try {
      await super.execProtocolRawStream(message[0] === 0 ? STARTUP : message, options);
    } catch (error) {
      // pglite-socket would leave its queue standing.
      this.#onFatal(String(error));
      throw error;
    }
  }

  /**
   * pglite-socket calls it to roll back for a client that is gone; after half an extended query only Sync is heard.
   * @override
   * @param {Parameters<PGlite['exec']>} args
   */
  async exec(...args) {
    if (this.#inExtendedQuery) {
      this.#inExtendedQuery = false;
      await this.execProtocolRaw(SYNC);
    }
    return super.exec(...args);
  }

  #reportCrashes() {
    const module = this.Module;
    const runOnce = module._PostgresMainLoopOnce;
    module._PostgresMainLoopOnce = () => {
      try {
        runOnce();
      } catch (error) {
        if (!isSqlError(error)) this.#onFatal(String(error));
        throw error;
      }
    };
  }
}

/** @param {unknown} error */
const isSqlError = (error) =>
  typeof error === 'object' && error !== null && 'status' in error && error.status === SQL_ERROR_STATUS;
