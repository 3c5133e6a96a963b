import { isObject } from '../../../profiles/profile.fields';
import { wholeError } from '../record-error';
import type { DescribeUser } from './foreign-user';
import { jsonOf, textOf } from './members';

const DIGESTS = new Map([
  ['pbkdf2', 'sha1'],
  ...['sha224', 'sha256', 'sha384', 'sha512'].map((digest): [string, string] => [`pbkdf2-${digest}`, digest]),
]);
const ARGON2_VERSIONS = new Map([
  ['1.0', 16],
  ['1.3', 19],
]);

/** A user of a realm's export (`UserRepresentation`). */
export const describeKeycloakUser: DescribeUser = (user) => {
  const attributes = user.within('attributes');
  const credentials = user.list('credentials');
  for (const { type } of credentials) if (type !== 'password') user.leave(`credentials:${textOf(type)}`);
  const password = credentials.find(({ type }) => type === 'password');
  const phone = attributes.at('phoneNumber');
  const isPhone = typeof phone === 'string' && phone.startsWith('+');
  if (phone !== undefined && !isPhone) user.leave('attributes.phoneNumber');
  const email = user.take('email');
  const username = user.take('username');
  if (username !== undefined && username !== email) user.leave('username');
  // `totp` repeats what the credentials say; the others say what an administrator may do with the user.
  user.ignore('totp', 'disableableCredentialTypes', 'notBefore', 'access', 'origin', 'self');
  return {
    id: user.take('id'),
    email,
    emailVerified: user.take('emailVerified'),
    ...(isPhone && { phone, phoneVerified: attributes.at('phoneNumberVerified') === 'true' }),
    firstName: user.take('firstName'),
    lastName: user.take('lastName'),
    locale: attributes.at('locale'),
    passwordHash: password && passwordHash(password),
    isDisabled: user.take('enabled') === false,
    createdAt: user.take('createdTimestamp'),
    identities: user.list('federatedIdentities').map(({ identityProvider, userId }) => ({
      provider: textOf(identityProvider),
      subject: userId,
    })),
    errors:
      user.take('serviceAccountClientId') === undefined
        ? []
        : [wholeError('INVALID_VALUE', 'is the account of a client, and no person')],
  };
};

/** Text of no known form if the credential cannot be understood, to be refused. */
function passwordHash(credential: Record<string, unknown>): string {
  // Before Keycloak 8 a credential had these members itself.
  const { hashedSaltedValue: value, salt } = credential;
  const data = value === undefined ? jsonOf(credential.credentialData) : credential;
  const secret = value === undefined ? jsonOf(credential.secretData) : { value, salt };
  if (!isObject(data) || !isObject(secret)) return '?';
  const algorithm = String(data.algorithm);
  const tail = `${String(secret.salt)}$${String(secret.value)}`;
  const digest = DIGESTS.get(algorithm);
  if (digest !== undefined) {
    const length = Buffer.from(String(secret.value), 'base64').length;
    return `$pbkdf2-${digest}$i=${String(data.hashIterations)},l=${length}$${tail}`;
  }
  // Extensions that hash with bcrypt keep the whole hash.
  return algorithm === 'argon2' ? `${argon2Parameters(data)}$${tail}` : String(secret.value);
}

function argon2Parameters({ hashIterations, additionalParameters }: Record<string, unknown>): string {
  const lists = isObject(additionalParameters) ? additionalParameters : {};
  const of = (name: string): string => String((lists[name] as unknown[] | undefined)?.[0]);
  const cost = `m=${of('memory')},t=${String(hashIterations)},p=${of('parallelism')}`;
  return `$argon2${of('type')}$v=${ARGON2_VERSIONS.get(of('version')) ?? '?'}$${cost}`;
}
