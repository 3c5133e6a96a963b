import type { RecordError, ConsumerRecord } from './consumer-record';

/** Something that only one consumer can have. */
export interface Claim {
  field: 'customerId' | 'email' | 'phone';
  value: string;
}

const MESSAGES: Record<Claim['field'], string> = {
  customerId: 'is the id of another consumer',
  email: 'belongs to another consumer',
  phone: 'belongs to another consumer',
};

export const keyOf = ({ field, value }: Claim): string => `${field}:${value}`;

export function claimsOf({ account: { consumerId, email, phone }, hasOwnId }: ConsumerRecord): Claim[] {
  const claims = { customerId: hasOwnId ? consumerId : null, email, phone };
  return (Object.keys(claims) as Claim['field'][]).flatMap((field) => {
    const value = claims[field];
    return value === null ? [] : [{ field, value }];
  });
}

export const inUse = ({ field }: Claim): RecordError => ({ field, code: 'IN_USE', message: MESSAGES[field] });
