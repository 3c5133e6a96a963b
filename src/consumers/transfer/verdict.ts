import { type Claim, claimsOf, inUse, keyOf } from './claims';
import type { ConsumerRecord, RecordError } from './consumer-record';

/** A line once it has been read: a valid record, or all that is wrong with it. */
export interface JudgedLine {
  number: number;
  result: ConsumerRecord | RecordError[];
}

export interface Refusal {
  line: number;
  errors: RecordError[];
}

export interface Settlement {
  accepted: ConsumerRecord[];
  refused: Refusal[];
}

export const allClaims = (lines: JudgedLine[]): Claim[] =>
  lines.flatMap(({ result }) => (Array.isArray(result) ? [] : claimsOf(result)));

/** Line by line, as if each came alone: the earlier record keeps what it has got, and a refused one gets nothing. */
export function settle(lines: JudgedLine[], takenBefore: string[]): Settlement {
  const taken = new Set(takenBefore);
  const settlement: Settlement = { accepted: [], refused: [] };
  for (const { number, result } of lines) {
    const claims = Array.isArray(result) ? [] : claimsOf(result);
    const errors = Array.isArray(result) ? result : claims.filter((claim) => taken.has(keyOf(claim))).map(inUse);
    if (Array.isArray(result) || errors.length > 0) {
      settlement.refused.push({ line: number, errors });
      continue;
    }
    for (const claim of claims) taken.add(keyOf(claim));
    settlement.accepted.push(result);
  }
  return settlement;
}
