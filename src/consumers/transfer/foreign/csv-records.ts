import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import type { FoundRecord } from '../found-record';
import type { ReadableFile } from '../import/import-file';
import { type RecordError, wholeError } from '../record-error';
import { TransferError } from '../transfer-error';
import { MAX_RECORD_BYTES } from './json-records';

/** A row, and how far it has been read. */
interface Row {
  record: string[];
  info: { bytes: number; lines: number };
}

/**
 * The rows of a CSV file (RFC 4180), each as a JSON object of its cells that are not empty. `lines` is the line on which a
 * row ends. `columns` are the names where the file has no header.
 */
export async function* csvRecords(file: ReadableFile, columns: readonly string[] | null): AsyncGenerator<FoundRecord> {
  let names = columns;
  for await (const { record: cells, info } of rowsOf(file)) {
    if (names === null) {
      names = header(file, cells);
      continue;
    }
    const errors = rowErrors(cells, columns === null ? names.length : null);
    yield {
      content: errors.length > 0 ? errors : objectOf(names, cells),
      end: { bytes: info.bytes, lines: info.lines },
    };
  }
}

async function* rowsOf(file: ReadableFile): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    delimiter: await delimiterOf(file),
    info: true,
    max_record_size: MAX_RECORD_BYTES,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    // Firebase leaves quotes in a cell as they are.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  let line = 0;
  // A failure of either reaches the reader of the parser.
  pipeline(Readable.from(copies(file)), parser).catch(() => undefined);
  try {
    for await (const row of parser as AsyncIterable<Row>) {
      line = row.info.lines;
      yield row;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))) throw error;
    throw new TransferError(`${file.path}: the CSV cannot be read after line ${line}: is a quote not closed?`, {
      cause: error,
    });
  }
}

/** The parser keeps what it has not parsed yet. */
async function* copies(file: ReadableFile): AsyncGenerator<Buffer> {
  for await (const chunk of file.chunks(0)) yield Buffer.from(chunk);
}

/** The first line has most of it; spreadsheets write a semicolon where the comma is in numbers. */
async function delimiterOf(file: ReadableFile): Promise<string> {
  for await (const chunk of file.chunks(0)) {
    const [line = ''] = chunk.toString().split('\n', 1);
    const count = (delimiter: string) => line.split(delimiter).length;
    return [',', ';', '\t'].reduce((most, other) => (count(other) > count(most) ? other : most));
  }
  return ',';
}

function header(file: ReadableFile, cells: string[]): string[] {
  const names = cells.map((cell) => cell.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TransferError(`${file.path}: the header has the column ${twice} twice`);
  return names;
}

function rowErrors(cells: string[], expected: number | null): RecordError[] {
  if (expected !== null && cells.length !== expected) {
    return [wholeError('INVALID_FORMAT', `has ${cells.length} cells where the header has ${expected}`)];
  }
  // What the decoder puts where bytes are no UTF-8.
  return cells.some((cell) => cell.includes('\ufffd')) ? [wholeError('INVALID_FORMAT', 'is not valid UTF-8')] : [];
}

const objectOf = (names: readonly string[], cells: string[]): Buffer =>
  Buffer.from(
    JSON.stringify(
      Object.fromEntries(
        names.flatMap((name, index) => {
          const cell = cells[index] ?? '';
          return cell === '' || name === '' ? [] : [[name, cell]];
        }),
      ),
    ),
  );
