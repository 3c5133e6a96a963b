import type { FoundRecord, Position } from '../found-record';
import type { ImportFile } from './import-file';
import { tooLong } from '../record-error';

const LF = 10;
const CR = 13;

/** The lines of a file that are not empty, counted from 1 with the empty ones. */
export async function* lineRecords(file: ImportFile, from: Position, maxBytes: number): AsyncGenerator<FoundRecord> {
  const end = { ...from };
  let offset = from.bytes;
  let held: Buffer = Buffer.alloc(0);
  /** A copy of both; a line that is already too long does not grow. */
  const join = (more: Buffer): Buffer => (held.length > maxBytes + 1 ? held : Buffer.concat([held, more]));
  const found = (bytes: Buffer): FoundRecord => ({
    content: bytes.length > maxBytes ? [tooLong('line', maxBytes)] : bytes,
    end: { ...end },
  });
  for await (const chunk of file.chunks(offset)) {
    let start = 0;
    for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, start)) {
      const bytes = withoutReturn(join(chunk.subarray(start, lf)));
      held = Buffer.alloc(0);
      start = lf + 1;
      end.bytes = offset + start;
      end.lines += 1;
      if (bytes.length > 0) yield found(bytes);
    }
    held = join(chunk.subarray(start));
    offset += chunk.length;
  }
  end.bytes = offset;
  end.lines += 1;
  if (held.length > 0) yield found(withoutReturn(held));
}

const withoutReturn = (bytes: Buffer): Buffer => (bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes);
