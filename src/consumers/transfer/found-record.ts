import type { RecordError } from './record-error';

const BATCH_RECORDS = 500;
const BATCH_BYTES = 1_048_576;

/** How far a file has been read. */
export interface Position {
  bytes: number;
  /** Of what is counted by `FoundRecord.end`. */
  lines: number;
}

/** A record as it is in a file: JSON, or why it cannot be read. */
export interface FoundRecord {
  content: Buffer | RecordError[];
  /** Where it ends; `lines` is its own number. */
  end: Position;
}

/** Up to 500 records and about a mebibyte at a time, never none; what was found before a failure comes before it. */
export async function* batchesOf(records: AsyncIterable<FoundRecord>): AsyncGenerator<[FoundRecord, ...FoundRecord[]]> {
  let batch: FoundRecord[] = [];
  let bytes = 0;
  let failure: { error: unknown } | undefined;
  try {
    for await (const record of records) {
      batch.push(record);
      bytes += record.content.length;
      if (batch.length < BATCH_RECORDS && bytes < BATCH_BYTES) continue;
      yield batch as [FoundRecord, ...FoundRecord[]];
      batch = [];
      bytes = 0;
    }
  } catch (error) {
    failure = { error };
  }
  if (batch.length > 0) yield batch as [FoundRecord, ...FoundRecord[]];
  if (failure) throw failure.error;
}
