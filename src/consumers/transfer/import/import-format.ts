import type { JsonObject } from '../../../platform/http/body/strict-json';
import type { FoundRecord, Position } from '../found-record';
import type { ImportFile } from './import-file';
import { lineRecords } from './line-records';
import type { RecordError } from '../record-error';

/** A record in the form of our own format. */
export interface Translation {
  members: Record<string, unknown>;
  /** The names of what the other system keeps of the consumer, and we cannot. */
  notKept: string[];
  /** Why it is no consumer. */
  errors: RecordError[];
}

/** How the records of a file are found and understood. */
export interface ImportFormat {
  /** The same file read in another way is another import; null is our own format. */
  identity: string | null;
  /** The records after a position, which is one that it has given. */
  records(file: ImportFile, from: Position): AsyncIterable<FoundRecord>;
  translate(record: JsonObject): Translation;
}

/** The longest line in bytes, without its end: as long as a request's body may be. */
const MAX_LINE_BYTES = 16_384;

/** What `consumer export-all` writes. */
export const OWN_FORMAT: ImportFormat = {
  identity: null,
  records: (file, from) => lineRecords(file, from, MAX_LINE_BYTES),
  translate: (members) => ({ members, notKept: [], errors: [] }),
};
