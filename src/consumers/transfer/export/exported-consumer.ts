import type { ListedExternalIdentity } from '../../../auth/assertions/external-identity.repository';
import type { Attributes } from '../../../profiles/consumer.entity';
import type { ConsumerColumns } from '../../../profiles/consumer.repository';

/** A consumer as one page of an export finds it; what is absent is null. */
export interface ExportedConsumer extends ConsumerColumns {
  email: string | null;
  emailVerifiedAt: Date | null;
  phone: string | null;
  phoneVerifiedAt: Date | null;
  passwordHash: string | null;
  externalIdentities: ListedExternalIdentity[] | null;
}

/** What is exported, in the order of a line. */
const MEMBERS = [
  ...['customerId', 'type', 'firstName', 'lastName', 'email', 'emailVerifiedAt', 'phone', 'phoneVerifiedAt'],
  ...['birthDate', 'locale', 'address', 'attributes', 'passwordHash', 'externalIdentities', 'createdAt', 'updatedAt'],
  'disabledAt',
] as (keyof ExportedConsumer)[];

/** The line that an import takes: none of its members is null. */
export function lineOf(consumer: ExportedConsumer): string {
  const members = MEMBERS.filter((name) => consumer[name] !== null).map((name) => {
    const value = consumer[name];
    return `"${name}":${name === 'attributes' ? attributesJson(value as Attributes) : JSON.stringify(withoutNulls(value))}`;
  });
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
