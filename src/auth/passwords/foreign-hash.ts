/** Bytes that one round of each digest gives. */
const DIGEST_BYTES = { sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 };
type Digest = keyof typeof DIGEST_BYTES;

interface Salted {
  salt: Buffer;
  hash: Buffer;
}

interface Scrypt extends Salted {
  log2N: number;
  r: number;
  p: number;
}

/** A password hash of another system, taken apart for a hashing thread. */
export type ForeignHash =
  | (Salted & { scheme: 'argon2id' | 'argon2i'; memoryKib: number; passes: number; lanes: number })
  | (Salted & { scheme: 'pbkdf2'; digest: Digest; iterations: number })
  | (Scrypt & { scheme: 'scrypt' })
  | (Scrypt & { scheme: 'fbscrypt'; separator: Buffer; signerKey: Buffer })
  | (Salted & { scheme: 'sha2'; digest: 'sha256' | 'sha512'; template: string });

const MAX_SALT_BYTES = 128;
const MAX_HASH_BYTES = 128;

/**
 * The most that one comparison may cost: 128 MiB, and on a slow core some three seconds. A file must not be able to make
 * logins cost minutes or gigabytes.
 */
const MAX_MEMORY_KIB = 131_072;
const MAX_ARGON2_KIB_PASSES = 1_048_576;
const MAX_PBKDF2_ROUNDS = 3_000_000;
const MAX_SCRYPT_KIB_LANES = 524_288;
/** Of the blocks that scrypt makes for its lanes, beside the memory that it mixes them in. */
const MAX_SCRYPT_BLOCKS_KIB = 16_384;

const B64 = '([A-Za-z0-9+/]*={0,2})';
const NUMBER = '([1-9][0-9]{0,9})';
const formOf = (source: string): RegExp => new RegExp(`^${source}$`);

/** The forms, as in the PHC string format where it has one; Firebase's as in GoTrue, SHA-2 as in Ory Kratos. */
const FORMS: [RegExp, (...parts: string[]) => ForeignHash | null][] = [
  [
    formOf(String.raw`\$(argon2id|argon2i)\$v=19\$m=${NUMBER},t=${NUMBER},p=${NUMBER}\$${B64}\$${B64}`),
    (scheme, m, t, p, ...rest) =>
      withSalt(rest, (salted) => ({
        ...salted,
        scheme: scheme as 'argon2id' | 'argon2i',
        memoryKib: Number(m),
        passes: Number(t),
        lanes: Number(p),
      })),
  ],
  [
    formOf(String.raw`\$pbkdf2-(sha1|sha224|sha256|sha384|sha512)\$i=${NUMBER},l=${NUMBER}\$${B64}\$${B64}`),
    (digest, i, l, ...rest) =>
      withSalt(rest, (salted) =>
        salted.hash.length === Number(l)
          ? { ...salted, scheme: 'pbkdf2', digest: digest as Digest, iterations: Number(i) }
          : null,
      ),
  ],
  [
    formOf(String.raw`\$scrypt\$ln=${NUMBER},r=${NUMBER},p=${NUMBER}\$${B64}\$${B64}`),
    (ln, r, p, ...rest) =>
      withSalt(rest, (salted) => ({ ...salted, scheme: 'scrypt', log2N: Number(ln), r: Number(r), p: Number(p) })),
  ],
  [
    formOf(String.raw`\$fbscrypt\$v=1,n=${NUMBER},r=${NUMBER},p=${NUMBER},ss=${B64},sk=${B64}\$${B64}\$${B64}`),
    (n, r, p, ss = '', sk = '', ...rest) =>
      withSalt(rest, (salted) => {
        const [separator, signerKey] = [decoded(ss), decoded(sk)];
        // The hash is the signer key, encrypted.
        if (separator === null || separator.length > MAX_SALT_BYTES || signerKey?.length !== salted.hash.length) {
          return null;
        }
        const cost = { log2N: Number(n), r: Number(r), p: Number(p) };
        return { ...salted, ...cost, scheme: 'fbscrypt', separator, signerKey };
      }),
  ],
  [
    formOf(String.raw`\$(sha256|sha512)\$pf=${B64}\$${B64}\$${B64}`),
    (name, pf = '', ...rest) =>
      withSalt(rest, (salted) => {
        const digest = name as 'sha256' | 'sha512';
        const template = decoded(pf)?.toString() ?? '';
        const fits = isTemplate(template) && salted.hash.length === DIGEST_BYTES[digest];
        return fits ? { ...salted, scheme: 'sha2', digest, template } : null;
      }),
  ],
];

/** A hash of another system than bcrypt in one of its forms, or null. */
export function parseForeignHash(text: string): ForeignHash | null {
  for (const [form, read] of FORMS) {
    const parts = form.exec(text);
    if (parts) return read(...parts.slice(1));
  }
  return null;
}

/** The one text of a hash. */
export function foreignHashText(foreign: ForeignHash): string {
  switch (foreign.scheme) {
    case 'argon2id':
    case 'argon2i': {
      const { scheme, memoryKib, passes, lanes } = foreign;
      return `$${scheme}$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(foreign.salt)}$${unpadded(foreign.hash)}`;
    }
    case 'pbkdf2': {
      const { digest, iterations, salt, hash } = foreign;
      return `$pbkdf2-${digest}$i=${iterations},l=${hash.length}$${unpadded(salt)}$${unpadded(hash)}`;
    }
    case 'scrypt': {
      const { log2N, r, p, salt, hash } = foreign;
      return `$scrypt$ln=${log2N},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
    }
    case 'fbscrypt': {
      const { log2N, r, p, separator, signerKey, salt, hash } = foreign;
      const parameters = `v=1,n=${log2N},r=${r},p=${p},ss=${padded(separator)},sk=${padded(signerKey)}`;
      return `$fbscrypt$${parameters}$${padded(salt)}$${padded(hash)}`;
    }
    case 'sha2': {
      const { digest, template, salt, hash } = foreign;
      return `$${digest}$pf=${padded(Buffer.from(template))}$${padded(salt)}$${padded(hash)}`;
    }
  }
}

/** Whether a login may be made to do this work. */
export function isAffordable(foreign: ForeignHash): boolean {
  switch (foreign.scheme) {
    case 'argon2id':
    case 'argon2i': {
      const { memoryKib, passes, lanes, salt, hash } = foreign;
      // The algorithm itself asks for eight blocks of memory a lane, and eight bytes of salt.
      const isPossible = lanes <= 255 && memoryKib >= 8 * lanes && salt.length >= 8 && hash.length >= 4;
      return isPossible && memoryKib <= MAX_MEMORY_KIB && memoryKib * passes <= MAX_ARGON2_KIB_PASSES;
    }
    case 'pbkdf2':
      return foreign.iterations * Math.ceil(foreign.hash.length / DIGEST_BYTES[foreign.digest]) <= MAX_PBKDF2_ROUNDS;
    case 'scrypt':
    case 'fbscrypt': {
      const { log2N, r, p } = foreign;
      const memoryKib = (2 ** log2N * r) / 8;
      // The algorithm itself asks for fewer than 2^(16 r) blocks (RFC 7914 section 2).
      const isPossible = log2N < 16 * r;
      const fits = memoryKib <= MAX_MEMORY_KIB && (p * r) / 8 <= MAX_SCRYPT_BLOCKS_KIB;
      return isPossible && fits && memoryKib * p <= MAX_SCRYPT_KIB_LANES;
    }
    case 'sha2':
      return true;
  }
}

/** What is hashed: the password once, and the salt at most once, with fixed text around them. */
const isTemplate = (text: string): boolean =>
  text.length <= 128 && text.split('{PASSWORD}').length === 2 && text.split('{SALT}').length <= 2;

function withSalt([salt = '', hash = '']: string[], make: (salted: Salted) => ForeignHash | null): ForeignHash | null {
  const salted = { salt: decoded(salt), hash: decoded(hash) };
  if (salted.salt === null || salted.hash === null || salted.hash.length === 0) return null;
  const isLong = salted.salt.length > MAX_SALT_BYTES || salted.hash.length > MAX_HASH_BYTES;
  return isLong ? null : make(salted as Salted);
}

/** Base64 whose padding may be missing, but whose unused bits are zero. */
function decoded(base64: string): Buffer | null {
  const bytes = Buffer.from(base64, 'base64');
  return [padded(bytes), unpadded(bytes)].includes(base64) ? bytes : null;
}

const padded = (bytes: Buffer): string => bytes.toString('base64');
const unpadded = (bytes: Buffer): string => padded(bytes).replace(/=+$/, '');
