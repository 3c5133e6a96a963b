import { externalIdentitiesOf } from '../../auth/assertions/external-identities.service';
import { LIVE_SESSION } from '../../auth/sessions/sessions.service';
import { prepared } from '../../platform/database/preparing-client';
import type { Address, Attributes } from '../../profiles/consumer.entity';

/** One consumer's profile with what `auth` knows of the consumer, read by one statement. */
export interface ProfileRow {
  customerId: string;
  type: 'PERSON';
  firstName: string;
  lastName: string;
  email: string | null;
  emailVerified: boolean;
  pendingEmail: string | null;
  phone: string | null;
  phoneVerified: boolean;
  pendingPhone: string | null;
  birthDate: string | null;
  locale: string | null;
  address: Address | null;
  attributes: Attributes | null;
  hasPassword: boolean;
  /** Null: none. */
  externalIdentities: { issuer: string; linkedAt: string }[] | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Of the consumer `c`. */
const PROFILE_COLUMNS = `
  c.id AS "customerId", c.type, c.first_name AS "firstName", c.last_name AS "lastName",
  e.value AS email, e.verified_at IS NOT NULL AS "emailVerified", pe.value AS "pendingEmail",
  p.value AS phone, p.verified_at IS NOT NULL AS "phoneVerified", pp.value AS "pendingPhone",
  c.birth_date::text AS "birthDate", c.locale, c.address, c.attributes,
  k.consumer_id IS NOT NULL AS "hasPassword",
  ${externalIdentitiesOf('c.id', 'issuer', 'linkedAt')} AS "externalIdentities", c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;
const PROFILE_JOINS = `
  LEFT JOIN identifier e ON e.consumer_id = c.id AND e.kind = 'email' AND NOT e.pending
  LEFT JOIN identifier pe ON pe.consumer_id = c.id AND pe.kind = 'email' AND pe.pending
  LEFT JOIN identifier p ON p.consumer_id = c.id AND p.kind = 'phone' AND NOT p.pending
  LEFT JOIN identifier pp ON pp.consumer_id = c.id AND pp.kind = 'phone' AND pp.pending
  LEFT JOIN credential k ON k.consumer_id = c.id`;
export const PROFILE = `SELECT ${PROFILE_COLUMNS} FROM consumer c ${PROFILE_JOINS} WHERE c.id = $1`;
export const PROFILE_OF_SESSION =
  prepared(`SELECT ${PROFILE_COLUMNS} FROM session s JOIN consumer c ON c.id = s.consumer_id
  ${PROFILE_JOINS} WHERE ${LIVE_SESSION}`);
