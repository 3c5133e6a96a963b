/** A SHA-2 hash in the form that is stored; the template says what was hashed. */
export const sha2Text = (digest: string, template: string, salt: Buffer, hash: Buffer): string =>
  `$${digest}$pf=${base64(Buffer.from(template))}$${base64(salt)}$${base64(hash)}`;

/** The hash of an LDAP directory (RFC 2307), with SHA-256 or SHA-512, salted or not; anything else as it is. */
export function ldapHashText(text: string): string {
  const [, digest = '', encoded = ''] = /^\{S?SHA(256|512)\}(.+)$/.exec(text) ?? [];
  if (digest === '') return text;
  const bytes = Buffer.from(encoded, 'base64');
  const length = Number(digest) / 8;
  const salt = bytes.subarray(length);
  const template = salt.length > 0 ? '{PASSWORD}{SALT}' : '{PASSWORD}';
  return sha2Text(`sha${digest}`, template, salt, bytes.subarray(0, length));
}

/** What one hash of Firebase does not say: the parameters of its project. */
export interface FirebaseParameters {
  signerKey: string;
  saltSeparator: string;
  rounds: string;
  memCost: string;
}

export const firebaseHashText = (
  { signerKey, saltSeparator, rounds, memCost }: FirebaseParameters,
  salt: string,
  hash: string,
): string => `$fbscrypt$v=1,n=${memCost},r=${rounds},p=1,ss=${saltSeparator},sk=${signerKey}$${salt}$${hash}`;

/** scrypt whose N is written out. */
export const scryptText = (n: number, r: unknown, p: unknown, salt: string, hash: string): string =>
  `$scrypt$ln=${Math.log2(n)},r=${String(r)},p=${String(p)}$${salt}$${hash}`;

const base64 = (bytes: Buffer): string => bytes.toString('base64');
