import type { FoundRecord } from '../found-record';
import type { ReadableFile } from '../import/import-file';
import { tooLong } from '../record-error';
import { TransferError } from '../transfer-error';

/** The longest record in bytes. */
export const MAX_RECORD_BYTES = 262_144;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Where the records are: the elements of the outermost list, or of a member of the document or of the documents in a list. */
export type Place = { list: 'outermost' } | { list: 'member'; name: string };

/** An object or list that is open outside of records. */
interface Container {
  isList: boolean;
  /** Its elements are records. */
  holdsRecords: boolean;
  /** The name of the member that is being read. */
  name: string;
}

/**
 * Cuts the records out of one JSON document of any size, in constant memory, and leaves each to a parser: so a record that
 * is wrong in itself does not end the document. Counted from 1.
 */
export async function* jsonRecords(file: ReadableFile, place: Place): AsyncGenerator<FoundRecord> {
  const scanner = new Scanner(file.path, place);
  let offset = 0;
  for await (const chunk of file.chunks(0)) {
    yield* scanner.scan(chunk, offset);
    offset += chunk.length;
  }
  if (!scanner.isComplete) {
    throw new TransferError(`${file.path}: the JSON ends too early, after record ${scanner.count}`);
  }
}

class Scanner {
  count = 0;
  private readonly open: Container[] = [];
  private isInString = false;
  private isEscaped = false;
  /** The last text outside of records, with its quotes: if a colon follows, it is a name. */
  private text = '';
  /** The record that is being read, and how deep in it we are; a value that is no object has depth 0. */
  private record: { parts: Buffer[]; bytes: number; depth: number } | null = null;
  private hasBegun = false;

  constructor(
    private readonly path: string,
    private readonly place: Place,
  ) {}

  get isComplete(): boolean {
    return this.hasBegun && this.open.length === 0 && this.record === null && !this.isInString;
  }

  *scan(chunk: Buffer, offset: number): Generator<FoundRecord> {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (this.isInString) {
        this.readString(byte);
        continue;
      }
      if (this.record === null && this.beginsRecord(byte)) {
        this.record = { parts: [], bytes: 0, depth: 0 };
        start = index;
      }
      if (this.record === null) {
        this.readOutside(byte, offset + index);
        continue;
      }
      const { record } = this;
      const isEndOfScalar = record.depth === 0 && (byte === COMMA || byte === CLOSE_LIST);
      if (byte === QUOTE) this.isInString = true;
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) record.depth += 1;
      if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) record.depth -= 1;
      if (!isEndOfScalar && (record.depth > 0 || (byte !== CLOSE_OBJECT && byte !== CLOSE_LIST))) continue;
      const end = isEndOfScalar ? index : index + 1;
      yield this.finish(chunk.subarray(start, end), offset + end);
      if (isEndOfScalar) this.readOutside(byte, offset + index);
    }
    if (this.record) keep(this.record, chunk.subarray(start));
  }

  /** A value in the list of records. */
  private beginsRecord(byte: number): boolean {
    const isValue = ![COMMA, CLOSE_LIST].includes(byte) && !isSpace(byte);
    return isValue && this.open.at(-1)?.holdsRecords === true;
  }

  private finish(last: Buffer, end: number): FoundRecord {
    const record = this.record ?? { parts: [], bytes: 0, depth: 0 };
    keep(record, last);
    this.record = null;
    this.count += 1;
    const content =
      record.bytes > MAX_RECORD_BYTES ? [tooLong('record', MAX_RECORD_BYTES)] : Buffer.concat(record.parts);
    return { content, end: { bytes: end, lines: this.count } };
  }

  private readString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isInString = false;
    // Longer ones name nothing that we look for.
    if (this.record === null && this.isInString && this.text.length < 64) this.text += String.fromCharCode(byte);
  }

  private readOutside(byte: number, position: number): void {
    const inner = this.open.at(-1);
    switch (byte) {
      case QUOTE:
        this.isInString = true;
        this.text = '';
        break;
      case COLON:
        if (inner) inner.name = this.text;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        this.push(byte === OPEN_LIST);
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (inner?.isList !== (byte === CLOSE_LIST)) throw this.broken(position);
        this.open.pop();
        break;
      default:
        if (this.open.length === 0 && !isSpace(byte) && !BYTE_ORDER_MARK.includes(byte)) {
          throw this.broken(position);
        }
    }
  }

  private push(isList: boolean): void {
    const { open, place } = this;
    const isInDocument = open.length === 1 || (open.length === 2 && open[0]?.isList === true);
    const holdsRecords =
      place.list === 'outermost'
        ? open.length === 0
        : isInDocument && open.at(-1)?.isList === false && open.at(-1)?.name === place.name;
    this.hasBegun = true;
    open.push({ isList, holdsRecords: isList && holdsRecords, name: '' });
  }

  private broken(position: number): TransferError {
    return new TransferError(`${this.path}: the JSON is broken at byte ${position}, after record ${this.count}`);
  }
}

/** A record that is already too long does not grow. */
function keep(record: { parts: Buffer[]; bytes: number }, part: Buffer): void {
  if (record.bytes <= MAX_RECORD_BYTES) record.parts.push(Buffer.from(part));
  record.bytes += part.length;
}
