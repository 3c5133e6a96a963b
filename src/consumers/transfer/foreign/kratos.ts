import type { DescribeUser, ForeignIdentity } from './foreign-user';
import { firebaseHashText, ldapHashText, scryptText } from './hash-texts';
import { type Members, textOf } from './members';

/** An identity with its credentials. */
export const describeKratosIdentity: DescribeUser = (identity) => {
  const traits = identity.within('traits');
  const credentials = identity.within('credentials');
  const hash = credentials.within('password').within('config').take('hashed_password');
  credentials.within('password').ignore('type', 'identifiers', 'version', 'created_at', 'updated_at');
  const identities = identitiesOf(credentials.within('oidc'));
  const [email, phone] = [traits.take('email'), traits.first('phone', 'phone_number')];
  const addresses = identity.list('verifiable_addresses');
  const verification = (address: unknown) => {
    const found = addresses.find(({ value }) => value === address);
    return { verified: found?.verified === true, at: found?.verified === true ? found.verified_at : undefined };
  };
  const names = typeof traits.take('name') === 'object' ? traits.within('name') : null;
  identity.within('metadata_public');
  identity.within('metadata_admin');
  identity.ignore('schema_id', 'schema_url', 'state_changed_at', 'recovery_addresses');
  return {
    id: identity.take('id'),
    email,
    emailVerified: verification(email).verified,
    emailVerifiedAt: verification(email).at,
    phone,
    phoneVerified: verification(phone).verified,
    phoneVerifiedAt: verification(phone).at,
    firstName: names?.first('first', 'given') ?? traits.first('first_name', 'firstName', 'given_name'),
    lastName: names?.first('last', 'family') ?? traits.first('last_name', 'lastName', 'family_name'),
    name: names ? undefined : traits.take('name'),
    locale: traits.take('locale'),
    passwordHash: typeof hash === 'string' ? kratosHashText(hash) : hash,
    isDisabled: identity.take('state') === 'inactive',
    createdAt: identity.take('created_at'),
    updatedAt: identity.take('updated_at'),
    identities,
  };
};

function identitiesOf(oidc: Members): ForeignIdentity[] {
  oidc.ignore('type', 'version', 'created_at', 'updated_at');
  const identifiers = oidc.take('identifiers');
  const providers = oidc.within('config').list('providers');
  if (providers.length > 0) {
    return providers.map(({ provider, subject }) => ({ provider: textOf(provider), subject }));
  }
  return (Array.isArray(identifiers) ? identifiers : []).map((identifier) => {
    const [provider = '', ...subject] = String(identifier).split(':');
    return { provider, subject: subject.join(':') };
  });
}

/** Kratos writes out the N of scrypt, and has a form of its own for Firebase's. */
function kratosHashText(hash: string): string {
  const [, name, parameters = '', salt = '', value = '', separator = '', key = ''] = hash.split('$');
  const [, n = '', r = '', p = ''] = /^ln=(\d+),r=(\d+),p=(\d+)$/.exec(parameters) ?? [];
  if (name === 'scrypt') return scryptText(Number(n), r, p, salt, value);
  if (name !== 'firescrypt') return ldapHashText(hash);
  const project = { signerKey: key, saltSeparator: separator, rounds: r, memCost: n };
  return p === '1' ? firebaseHashText(project, salt, value) : '?';
}
