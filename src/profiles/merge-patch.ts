import type { AddressDto } from './address.dto';
import type { Address, Attributes } from './consumer.entity';

const NO_ADDRESS: Address = {
  line1: null,
  line2: null,
  postalCode: null,
  city: null,
  country: null,
  subdivision: null,
};

/** Merges an address (RFC 7396); an address without fields becomes null. */
export function mergeAddress(present: Address | null, patch: AddressDto | null): Address | null {
  if (patch === null) return null;
  const merged = { ...NO_ADDRESS };
  for (const field of Object.keys(NO_ADDRESS) as (keyof Address)[]) {
    merged[field] = patch[field] === undefined ? (present?.[field] ?? null) : patch[field];
  }
  return Object.values(merged).some((value) => value !== null) ? merged : null;
}

/** Merges attributes (RFC 7396): null removes one. Built from entries, so that no name (`__proto__`) is special. */
export function mergeAttributes(
  present: Attributes | null,
  patch: Record<string, string | number | boolean | null> | null,
): Attributes | null {
  if (patch === null) return null;
  const merged = new Map<string, string | number | boolean>(Object.entries(present ?? {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}
