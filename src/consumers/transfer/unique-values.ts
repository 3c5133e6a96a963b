import type { ExternalName } from '../../auth/assertions/external-identity.repository';
import type { ImportedRecord, RecordError } from './imported-record';

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

export const inUse = (field: UniqueValue['field']): RecordError => ({
  field,
  code: 'IN_USE',
  message: MESSAGES[field],
});
