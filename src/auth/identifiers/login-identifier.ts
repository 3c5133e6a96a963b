import { isUUID } from 'class-validator';
import { canonicalEmail } from '../../platform/values/email-address';
import type { IdentifierKind } from './identifier.entity';
import { canonicalPhone } from '../../platform/values/phone-number';

/** How a consumer is looked up; `value` is canonical, so that every spelling counts as the same identifier. */
export interface LoginIdentifier {
  kind: IdentifierKind | 'customerId' | 'unknown';
  value: string;
}

/** Reads what a consumer typed: an e-mail address, a phone number or a customer id. */
export function parseLoginIdentifier(text: string): LoginIdentifier {
  const value = text.trim();
  const email = canonicalEmail(value);
  if (email !== null) return { kind: 'email', value: email };
  const phone = canonicalPhone(value);
  if (phone !== null) return { kind: 'phone', value: phone };
  if (isUUID(value)) return { kind: 'customerId', value: value.toLowerCase() };
  return { kind: 'unknown', value };
}
