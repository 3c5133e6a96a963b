import { foreignHashText, isAffordable, parseForeignHash } from './foreign-hash';
import { matchesForeign } from './hashing/foreign-hash.mjs';
import { canonicalPasswordHash, isTooDear } from './password-hash-format';

const hex = (text: string): string => Buffer.from(text, 'hex').toString('base64');
const b64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '');

const SIGNER_KEY = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
const FIREBASE =
  `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${SIGNER_KEY}` +
  '$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';

/** What others have published of a password and its hash. */
const PUBLISHED: [source: string, password: string, hash: string][] = [
  ['github.com/firebase/scrypt, README', 'user1password', FIREBASE],
  [
    'RFC 7914 section 12, scrypt',
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${b64('SodiumChloride')}$${hex(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
        'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    )}`,
  ],
  [
    'RFC 7914 section 11, PBKDF2-HMAC-SHA-256',
    'Password',
    `$pbkdf2-sha256$i=80000,l=64$${b64('NaCl')}$${hex(
      '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56' +
        'a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d',
    )}`,
  ],
  [
    'RFC 6070, PBKDF2-HMAC-SHA-1',
    'password',
    `$pbkdf2-sha1$i=4096,l=20$${b64('salt')}$${hex('4b007901b765489abead49d926f721d065a429c1')}`,
  ],
  [
    'Ory Kratos, PBKDF2-HMAC-SHA-512',
    'test',
    '$pbkdf2-sha512$i=100000,l=32$bdHBpn7OWOivJMVJypy2UqR0UnaD5prQXRZevj/05YU$+wArTfv1a+bNGO1iZrmEdVjhA+lL11wF4/IxpgYfPwc',
  ],
  ['supabase/auth, Argon2i', 'test', '$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g'],
  [
    'supabase/auth, Argon2id',
    'test',
    '$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk',
  ],
  [
    'Keycloak, Argon2id with its default parameters',
    'iceberg',
    '$argon2id$v=19$m=7168,t=5,p=1$RJ0aLMQ2qKbZuROs7qQhcA$BuViHNDGmCq80fvpty/QoggTI8NSt0CuNDGgeoa5f5A',
  ],
  [
    'Ory Kratos, SHA-256 with {SALT}$${PASSWORD}',
    'test',
    '$sha256$pf=e1NBTFR9JCR7UEFTU1dPUkR9$NW9wbWtnejAzcg==$HokCOi9OtiZaZRvnkgemV3B4UUHpI7kA8zq/EZWH2NY=',
  ],
  [
    'Ory Kratos, SHA-512 with {SALT}{PASSWORD}',
    'test',
    '$sha512$pf=e1NBTFR9e1BBU1NXT1JEfQ==$NW9wbWtnejAzcg==$6ctpVuApMNp0CgBXcdHw/GC562eFEFGr4gpgANX8ZYsX+j5B19IkdmOY2Fytsz3QUwSWdGcUjbqwgJGTH0UYvw==',
  ],
];

const parsed = (text: string) => {
  const foreign = parseForeignHash(text);
  if (!foreign) throw new Error(`${text} is no hash`);
  return foreign;
};

describe('a password hash of another system', () => {
  it.each(PUBLISHED)('matches its password and no other (%s)', async (_, password, hash) => {
    expect(await matchesForeign(password, parsed(hash))).toBe(true);
    for (const wrong of [`${password} `, password.toUpperCase(), '']) {
      expect(await matchesForeign(wrong, parsed(hash))).toBe(false);
    }
  });

  it.each(PUBLISHED)('has one text, which means the same (%s)', (_, _password, hash) => {
    const text = foreignHashText(parsed(hash));
    expect(parsed(text)).toEqual(parsed(hash));
    expect(foreignHashText(parsed(text))).toBe(text);
    expect(canonicalPasswordHash(text)).toBe(text);
    expect(isTooDear(text)).toBe(false);
  });

  it.each([
    ['an unknown algorithm', '$argon2d$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUC'],
    ['an old version of Argon2', '$argon2id$v=16$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUC'],
    ['a missing cost', '$argon2id$v=19$m=32,t=3$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUC'],
    ['a cost of nothing', '$pbkdf2-sha256$i=0,l=8$c2FsdA$MTIzNDU2Nzg'],
    ['a negative cost', '$pbkdf2-sha256$i=-1,l=8$c2FsdA$MTIzNDU2Nzg'],
    ['a cost that is no whole number', '$pbkdf2-sha256$i=1e3,l=8$c2FsdA$MTIzNDU2Nzg'],
    ['another length than it says', '$pbkdf2-sha256$i=1000,l=9$c2FsdA$MTIzNDU2Nzg'],
    ['an unknown digest', '$pbkdf2-md5$i=1000,l=8$c2FsdA$MTIzNDU2Nzg'],
    ['no hash', '$pbkdf2-sha256$i=1000,l=1$c2FsdA$'],
    ['base64 that is none', '$pbkdf2-sha256$i=1000,l=8$c2F*dA$MTIzNDU2Nzg'],
    ['base64 with unused bits', '$pbkdf2-sha256$i=1000,l=8$c2FsdB$MTIzNDU2Nzg'],
    ['a salt without end', `$scrypt$ln=4,r=8,p=1$${'A'.repeat(400)}$MTIzNDU2Nzg`],
    ['a hash without end', `$scrypt$ln=4,r=8,p=1$c2FsdA$${'A'.repeat(400)}`],
    ['a signer key that the hash cannot be', FIREBASE.replace(SIGNER_KEY, 'c2hvcnQ=')],
    ['a template without the password', '$sha256$pf=e1NBTFR9$c2FsdA==$HokCOi9OtiZaZRvnkgemV3B4UUHpI7kA8zq/EZWH2NY='],
    ['a digest of another length', '$sha512$pf=e1BBU1NXT1JEfQ==$$HokCOi9OtiZaZRvnkgemV3B4UUHpI7kA8zq/EZWH2NY='],
    ['a line after it', '$pbkdf2-sha256$i=1000,l=8$c2FsdA$MTIzNDU2Nzg\n'],
    ['nothing at all', ''],
  ])('has none of the known forms with %s', (_, text) => {
    expect(parseForeignHash(text)).toBeNull();
    expect(canonicalPasswordHash(text)).toBeNull();
  });

  const argon2 = (parameters: string, salt = 'c29tZXNhbHQ') => `$argon2id$v=19$${parameters}$${salt}$MTIzNDU2Nzg`;
  const scrypt = (parameters: string) => `$scrypt$${parameters}$c2FsdA$MTIzNDU2Nzg`;

  it.each([
    ['128 MiB', argon2('m=131072,t=8,p=4'), argon2('m=131073,t=1,p=4')],
    ['1 GiB in all passes', argon2('m=65536,t=16,p=1'), argon2('m=65536,t=17,p=1')],
    ['what Argon2 itself needs for its lanes', argon2('m=64,t=1,p=8'), argon2('m=63,t=1,p=8')],
    ['eight bytes of salt', argon2('m=64,t=1,p=1'), argon2('m=64,t=1,p=1', 'c2FsdA')],
    ['16 MiB of blocks for the lanes of scrypt', scrypt('ln=1,r=1,p=131072'), scrypt('ln=1,r=1,p=131073')],
    ['128 MiB of scrypt', scrypt('ln=17,r=8,p=1'), scrypt('ln=18,r=8,p=1')],
    ['512 MiB of scrypt in all lanes', scrypt('ln=14,r=8,p=32'), scrypt('ln=14,r=8,p=33')],
    ['what scrypt itself allows', scrypt('ln=15,r=1,p=1'), scrypt('ln=16,r=1,p=1')],
    ['a power that is a number', scrypt('ln=1,r=1,p=1'), scrypt('ln=4294967295,r=8,p=1')],
    [
      'three million rounds',
      '$pbkdf2-sha1$i=3000000,l=8$c2FsdA$MTIzNDU2Nzg',
      '$pbkdf2-sha1$i=3000001,l=8$c2FsdA$MTIzNDU2Nzg',
    ],
    [
      'three million rounds of all blocks',
      '$pbkdf2-sha1$i=1500000,l=21$c2FsdA$MTIzNDU2Nzg5MDEyMzQ1Njc4OTAx',
      '$pbkdf2-sha1$i=1500001,l=21$c2FsdA$MTIzNDU2Nzg5MDEyMzQ1Njc4OTAx',
    ],
  ])('may cost %s, and no more', (_, affordable, tooDear) => {
    expect([isAffordable(parsed(affordable)), isTooDear(affordable)]).toEqual([true, false]);
    expect([isAffordable(parsed(tooDear)), isTooDear(tooDear)]).toEqual([false, true]);
  });
});
