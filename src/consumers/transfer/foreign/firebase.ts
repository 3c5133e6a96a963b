import { wholeError } from '../record-error';
import type { DescribeUser, ForeignUser } from './foreign-user';
import { type FirebaseParameters, firebaseHashText } from './hash-texts';
import { type Members, textOf } from './members';
import { flagOf } from './values';

const PROVIDERS = ['google.com', 'facebook.com', 'twitter.com', 'github.com'];

/** The columns of `firebase auth:export FILE.csv`, which writes no header. */
export const FIREBASE_COLUMNS = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...PROVIDERS.flatMap((name) => [`${name} id`, `${name} email`, `${name} displayName`, `${name} photoUrl`]),
  ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
];

/** A user of `firebase auth:export`, from JSON or a row of CSV. */
export const firebaseUsers =
  (parameters: FirebaseParameters | null): DescribeUser =>
  (user) => {
    for (const name of PROVIDERS) user.ignore(...['email', 'displayName', 'photoUrl'].map((part) => `${name} ${part}`));
    return {
      id: user.take('localId'),
      email: user.take('email'),
      emailVerified: flagOf(user.take('emailVerified')),
      phone: user.take('phoneNumber'),
      // A user gets a number only by a code that was sent to it.
      phoneVerified: true,
      name: user.take('displayName'),
      ...password(user, parameters),
      isDisabled: flagOf(user.take('disabled')) === true,
      createdAt: user.take('createdAt'),
      identities: [
        ...user
          .list('providerUserInfo')
          .filter(({ providerId }) => providerId !== 'password' && providerId !== 'phone')
          .map(({ providerId, rawId }) => ({ provider: textOf(providerId), subject: rawId })),
        ...PROVIDERS.map((provider) => ({ provider, subject: user.take(`${provider} id`) })),
      ].filter(({ subject }) => subject !== undefined),
    };
  };

function password(user: Members, parameters: FirebaseParameters | null): ForeignUser {
  const [hash, salt] = [user.take('passwordHash'), user.take('salt') ?? ''];
  if (hash === undefined) return {};
  if (parameters === null) {
    return { errors: [{ ...wholeError('INVALID_VALUE', 'needs --firebase-parameters'), field: 'passwordHash' }] };
  }
  return { passwordHash: firebaseHashText(parameters, plainBase64(salt), plainBase64(hash)) };
}

/** The Admin SDK writes the alphabet of addresses. */
const plainBase64 = (value: unknown): string => String(value).replaceAll('-', '+').replaceAll('_', '/');
