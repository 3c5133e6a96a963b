import { isObject } from '../../../profiles/profile.fields';
import type { DescribeUser } from './foreign-user';
import { ldapHashText, scryptText, sha2Text } from './hash-texts';
import { type Members, textOf } from './members';

/**
 * A user of a bulk export, or of an export of password hashes. `passwords` are those of the other file, by the id of the
 * user.
 */
export const auth0Users =
  (passwords: ReadonlyMap<string, string>): DescribeUser =>
  (user) => {
    const id = auth0IdOf(user);
    const contacts = contactsOf(user);
    user.within('user_metadata');
    user.within('app_metadata');
    // Of the tenant, not of the user.
    user.ignore('_tmp_is_unique', 'connection', 'password_set_date', 'tenant');
    return {
      id,
      email: user.take('email') ?? contacts.email?.value,
      emailVerified: user.take('email_verified') ?? contacts.email?.verified,
      phone: user.take('phone_number') ?? contacts.phone?.value,
      phoneVerified: user.take('phone_verified') ?? contacts.phone?.verified,
      firstName: user.take('given_name'),
      lastName: user.take('family_name'),
      name: user.take('name'),
      locale: user.take('locale'),
      passwordHash: passwordHash(user) ?? (typeof id === 'string' ? passwords.get(id) : undefined),
      isDisabled: user.take('blocked') === true,
      createdAt: user.take('created_at'),
      updatedAt: user.take('updated_at'),
      identities: user
        .list('identities')
        .filter(({ provider }) => provider !== 'auth0')
        .map(({ provider, user_id }) => ({ provider: textOf(provider), subject: user_id })),
    };
  };

/** The id of a user, which an export of password hashes has in two parts. */
export function auth0IdOf(user: Members): unknown {
  const [whole, chosen] = [user.take('user_id'), user.take('alt_id')];
  const made = user.within('_id').take('$oid');
  if (whole !== undefined) return whole;
  const own = chosen ?? made;
  return typeof own === 'string' ? `auth0|${own}` : own;
}

export function passwordHash(user: Members): unknown {
  const plain = user.first('password_hash', 'passwordHash');
  const custom = user.take('custom_password_hash');
  return plain ?? (isObject(custom) ? customHashText(custom) : custom);
}

/** Some exports of password hashes have the addresses only in a list. */
function contactsOf(user: Members) {
  const listed = user.list('identifiers');
  const of = (kind: string) => listed.find(({ type }) => type === kind);
  return { email: of('email'), phone: of('phone_number') ?? of('phone') };
}

/** Text of no known form for an algorithm that we do not have, to be refused. */
function customHashText(custom: Record<string, unknown>): string {
  const hash = isObject(custom.hash) ? custom.hash : { value: custom.hash };
  const text = String(hash.value);
  if (isObject(custom.password) && !['utf8', 'ascii', undefined].includes(custom.password.encoding as string))
    return '?';
  switch (custom.algorithm) {
    case 'argon2':
    case 'bcrypt':
      return text;
    case 'pbkdf2':
      return text.replace(/^(\$pbkdf2-\w+)\$(?!i=)/, '$1$i=100000,l=64$');
    case 'ldap':
      return ldapHashText(text);
    case 'sha256':
    case 'sha512': {
      const salt = isObject(custom.salt) ? custom.salt : { value: '' };
      const template = salt.position === 'suffix' ? '{PASSWORD}{SALT}' : '{SALT}{PASSWORD}';
      return sha2Text(custom.algorithm, template, decoded(salt), decoded(hash));
    }
    case 'scrypt': {
      const { cost = 16_384, blockSize = 8, parallelization = 1, salt } = custom;
      const saltText = decoded(isObject(salt) ? salt : {}).toString('base64');
      return scryptText(Number(cost), blockSize, parallelization, saltText, decoded(hash).toString('base64'));
    }
    default:
      return '?';
  }
}

function decoded({ value = '', encoding = 'utf8' }: Record<string, unknown>): Buffer {
  const name = encoding === 'hex' || encoding === 'base64' ? encoding : 'utf8';
  return Buffer.from(String(value), name);
}
