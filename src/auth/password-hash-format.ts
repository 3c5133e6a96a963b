/** Version, cost, then 16 bytes of salt and 23 of hash in bcrypt's own base64, whose unused bits are zero. */
const BCRYPT = String.raw`(?:0[4-9]|1[0-6])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]`;
const FOREIGN = new RegExp(String.raw`^\$2[aby]\$${BCRYPT}$`);
const OWN = new RegExp(String.raw`^pepper:([0-9a-f]{8}):\$2b\$${BCRYPT}$`);

/**
 * The form in which a bcrypt hash is stored, or null for anything else: our own, or another system's (`$2a$`, `$2b$`,
 * `$2y$`), of cost 4 to 16. `$2y$` is the name that PHP gives to `$2b$`.
 */
export function canonicalPasswordHash(text: string): string | null {
  if (OWN.test(text)) return text;
  return FOREIGN.test(text) ? text.replace(/^\$2y/, '$2b') : null;
}

/** The name of the pepper that a hash of our own was made with; null for another system's. */
export const pepperNameOf = (hash: string): string | null => OWN.exec(hash)?.[1] ?? null;
