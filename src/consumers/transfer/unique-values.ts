import type { ImportedRecord, RecordError } from './imported-record';

/** Something that only one consumer can have. */
export interface UniqueValue {
  field: 'customerId' | 'email' | 'phone';
  value: string;
}

const MESSAGES: Record<UniqueValue['field'], string> = {
  customerId: 'is the id of another consumer',
  email: 'belongs to another consumer',
  phone: 'belongs to another consumer',
};

export const keyOf = ({ field, value }: UniqueValue): string => `${field}:${value}`;

export function uniqueValuesOf({ account: { consumerId, email, phone }, hasOwnId }: ImportedRecord): UniqueValue[] {
  const values = { customerId: hasOwnId ? consumerId : null, email, phone };
  return (Object.keys(values) as UniqueValue['field'][]).flatMap((field) => {
    const value = values[field];
    return value === null ? [] : [{ field, value }];
  });
}

export const inUse = ({ field }: UniqueValue): RecordError => ({ field, code: 'IN_USE', message: MESSAGES[field] });
