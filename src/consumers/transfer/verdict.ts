import type { ImportedRecord, RecordError } from './imported-record';
import { inUse, keyOf, type UniqueValue, uniqueValuesOf } from './unique-values';

/** A line once it has been read: a valid record, or all that is wrong with it. */
export interface ParsedLine {
  number: number;
  result: ImportedRecord | RecordError[];
}

export interface Refusal {
  line: number;
  errors: RecordError[];
}

/** What an import takes of some lines, and what it does not. */
export interface Verdict {
  accepted: ImportedRecord[];
  refused: Refusal[];
}

export const uniqueValuesIn = (lines: ParsedLine[]): UniqueValue[] =>
  lines.flatMap(({ result }) => (Array.isArray(result) ? [] : uniqueValuesOf(result)));

/** Line by line, as if each came alone: the earlier record keeps what it has got, and a refused one gets nothing. */
export function judge(lines: ParsedLine[], takenBefore: string[]): Verdict {
  const taken = new Set(takenBefore);
  const verdict: Verdict = { accepted: [], refused: [] };
  for (const { number, result } of lines) {
    const values = Array.isArray(result) ? [] : uniqueValuesOf(result);
    const errors = Array.isArray(result)
      ? result
      : [...new Set(values.filter((value) => taken.has(keyOf(value))).map(({ field }) => field))].map(inUse);
    if (Array.isArray(result) || errors.length > 0) {
      verdict.refused.push({ line: number, errors });
      continue;
    }
    for (const value of values) taken.add(keyOf(value));
    verdict.accepted.push(result);
  }
  return verdict;
}
