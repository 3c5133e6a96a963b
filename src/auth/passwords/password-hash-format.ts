import { foreignHashText, isAffordable, parseForeignHash } from './foreign-hash';

/** Version, cost, then 16 bytes of salt and 23 of hash in bcrypt's own base64, whose unused bits are zero. */
const BCRYPT = String.raw`(?:0[4-9]|1[0-6])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]`;
const FOREIGN = new RegExp(String.raw`^\$2[aby]\$${BCRYPT}$`);
/** Stands before a hash of our own. */
const PEPPER = /^pepper:([0-9a-f]{8}):/;
const OWN = new RegExp(String.raw`${PEPPER.source}\$2b\$${BCRYPT}$`);

/** A stored hash taken apart. */
export interface PasswordHashParts {
  /** The name of the pepper that a hash of our own was made with; null for another system's. */
  pepperName: string | null;
  /** The hash itself: of our own always bcrypt. */
  unpeppered: string;
}

/**
 * The form in which a hash is stored, or null for anything else: our own, another system's bcrypt (`$2a$`, `$2b$`, `$2y$`)
 * of cost 4 to 16, or another system's of the forms of `parseForeignHash`. `$2y$` is the name that PHP gives to `$2b$`.
 */
export function canonicalPasswordHash(text: string): string | null {
  if (OWN.test(text)) return text;
  if (FOREIGN.test(text)) return text.replace(/^\$2y/, '$2b');
  const foreign = parseForeignHash(text);
  return foreign && foreignHashText(foreign);
}

/** Whether comparing a password with this hash would cost more than a login may. */
export function isTooDear(text: string): boolean {
  const foreign = parseForeignHash(text);
  return foreign !== null && !isAffordable(foreign);
}

/** The stored form of a hash of our own. */
export const pepperedHash = (pepperName: string, bcryptHash: string): string => `pepper:${pepperName}:${bcryptHash}`;

export function passwordHashParts(hash: string): PasswordHashParts {
  const [prefix = '', pepperName = null] = PEPPER.exec(hash) ?? [];
  return { pepperName, unpeppered: hash.slice(prefix.length) };
}

/** The cost of a bcrypt hash; null for any other. */
export function bcryptCost(unpeppered: string): number | null {
  const [, cost] = /^\$2[ab]\$(\d\d)\$/.exec(unpeppered) ?? [];
  return cost === undefined ? null : Number(cost);
}
