import type { Address, Attributes } from '../../profiles/consumer.entity';

/** A consumer as one page of an export finds it; what is absent is null. */
export interface ExportedConsumer {
  customerId: string;
  type: 'PERSON';
  firstName: string;
  lastName: string;
  email: string | null;
  emailVerifiedAt: Date | null;
  phone: string | null;
  phoneVerifiedAt: Date | null;
  birthDate: string | null;
  locale: string | null;
  address: Address | null;
  attributes: Attributes | null;
  passwordHash: string | null;
  externalIdentities: { issuer: string; subject: string; linkedAt: string }[] | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The line that an import takes: members in the order of the interface, none of them null. */
export function lineOf(consumer: ExportedConsumer): string {
  const members = Object.entries(consumer)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        `"${name}":${name === 'attributes' ? attributesJson(value as Attributes) : JSON.stringify(withoutNulls(value))}`,
    );
  return `{${members.join(',')}}\n`;
}

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;

const attributesJson = (attributes: Attributes): string =>
  `{${Object.entries(attributes)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${typeof value === 'number' ? numberJson(value) : JSON.stringify(value)}`,
    )
    .join(',')}}`;

/** A whole number beyond 2^53 with its exponent, by which a strict reader sees that it is not exact. */
const numberJson = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : JSON.stringify(value);
