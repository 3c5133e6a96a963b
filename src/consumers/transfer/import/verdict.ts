import type { ExternalName } from '../../../auth/assertions/external-identity.repository';
import type { ImportedRecord } from './imported-record';
import type { RecordError } from '../record-error';

/** Something that only one consumer can have. */
export interface UniqueValue {
  field: 'customerId' | 'email' | 'phone' | 'externalIdentities';
  value: string;
}

const MESSAGES: Record<UniqueValue['field'], string> = {
  customerId: 'is the id of another consumer',
  email: 'belongs to another consumer',
  phone: 'belongs to another consumer',
  externalIdentities: 'one belongs to another consumer',
};

export const keyOf = ({ field, value }: UniqueValue): string => `${field}:${value}`;

/** The parts of the value of an external identity, and back. */
export const externalValue = ({ issuer, subject }: ExternalName): string => JSON.stringify([issuer, subject]);
export const externalName = (value: string): ExternalName => {
  const [issuer, subject] = JSON.parse(value) as [string, string];
  return { issuer, subject };
};

export function uniqueValuesOf({ account, hasOwnId }: ImportedRecord): UniqueValue[] {
  const { consumerId, email, phone, externalIdentities } = account;
  const values = { customerId: hasOwnId ? consumerId : null, email, phone };
  return [
    ...(Object.keys(values) as (keyof typeof values)[]).flatMap((field) => {
      const value = values[field];
      return value === null ? [] : [{ field, value }];
    }),
    ...externalIdentities.map((name) => ({ field: 'externalIdentities' as const, value: externalValue(name) })),
  ];
}

const inUse = (field: UniqueValue['field']): RecordError => ({
  field,
  code: 'IN_USE',
  message: MESSAGES[field],
});

/** A line that was read: a valid record, or all its violations. */
export interface ParsedLine {
  number: number;
  result: ImportedRecord | RecordError[];
}

export interface Refusal {
  line: number;
  errors: RecordError[];
}

/** Which of some lines an import takes, and which it refuses. */
export interface Verdict {
  accepted: ImportedRecord[];
  refused: Refusal[];
}

export const uniqueValuesIn = (lines: ParsedLine[]): UniqueValue[] =>
  lines.flatMap(({ result }) => (Array.isArray(result) ? [] : uniqueValuesOf(result)));

/** Line by line: the earlier record keeps its values, and a refused one gets none. */
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
