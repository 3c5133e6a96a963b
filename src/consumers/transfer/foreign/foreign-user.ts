import type { RecordError } from '../record-error';
import type { Members } from './members';

/** A user of another system; values are as found, and checked like those of our own format. */
export interface ForeignUser {
  id?: unknown;
  email?: unknown;
  /** Whether it was proven, or when. */
  emailVerified?: unknown;
  emailVerifiedAt?: unknown;
  phone?: unknown;
  phoneVerified?: unknown;
  phoneVerifiedAt?: unknown;
  firstName?: unknown;
  lastName?: unknown;
  /** First and last name in one. */
  name?: unknown;
  locale?: unknown;
  passwordHash?: unknown;
  isDisabled?: boolean;
  createdAt?: unknown;
  updatedAt?: unknown;
  identities?: ForeignIdentity[];
  /** Further fields of our own format. */
  fields?: Record<string, unknown>;
  /** Why this is no consumer, or cannot be one. */
  errors?: RecordError[];
}

/** With whom else the user logs in. */
export interface ForeignIdentity {
  /** As the other system calls it. */
  provider: string;
  subject: unknown;
  linkedAt?: unknown;
}

/** Finds the user in a record, and asks for every member that is kept or does not matter. */
export type DescribeUser = (members: Members, now: Date) => ForeignUser;
