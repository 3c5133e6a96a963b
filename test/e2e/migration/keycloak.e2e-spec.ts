import { argon2, base64, bcryptHash, CHEAP_ARGON2, pbkdf2 } from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { MANY, people, type Person } from '../../support/import/foreign/people';

const DEFAULT_ARGON2 = { memory: 7168, iterations: 5, parallelism: 1 };

describe('consumers of Keycloak', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  /** `kc.sh export --users realm_file`: the realm and its users in one document. */
  const realm = (users: object[], more: object = {}) =>
    JSON.stringify(
      {
        id: 'shop',
        realm: 'shop',
        displayName: 'A "shop" with users: [{ }]',
        accessTokenLifespan: 300,
        roles: { realm: [{ id: 'r', name: 'users', attributes: { users: [{ not: 'a user' }] } }] },
        users,
        clients: [{ clientId: 'app', users: ['neither'] }],
        keycloakVersion: '26.4.0',
        ...more,
      },
      null,
      2,
    );

  const password = (secretData: object, credentialData: object) => ({
    id: '9591c60e-56b5-47e2-8ced-b011ce05542b',
    type: 'password',
    createdDate: 1_713_482_990_894,
    secretData: JSON.stringify({ additionalParameters: {}, ...secretData }),
    credentialData: JSON.stringify({ additionalParameters: {}, ...credentialData }),
  });

  const pbkdf2Password = (text: string, algorithm: string, iterations: number, length: number) => {
    const { salt, hash } = pbkdf2(text, algorithm === 'pbkdf2' ? 'sha1' : algorithm.slice(7), iterations, length);
    return password({ value: base64(hash), salt: base64(salt) }, { hashIterations: iterations, algorithm });
  };

  async function argon2Password(text: string, cost = CHEAP_ARGON2) {
    const { salt, hash } = await argon2(text, cost);
    const parameters = {
      hashLength: ['32'],
      memory: [String(cost.memory)],
      type: ['id'],
      version: ['1.3'],
      parallelism: [String(cost.parallelism)],
    };
    return password(
      { value: base64(hash), salt: base64(salt) },
      { hashIterations: cost.iterations, algorithm: 'argon2', additionalParameters: parameters },
    );
  }

  async function credentialOf({ index, password: text }: Person) {
    if (index === 0) return argon2Password(text, DEFAULT_ARGON2);
    if (index === 1) return pbkdf2Password(text, 'pbkdf2-sha512', 210_000, 64);
    if (index === 2) return pbkdf2Password(text, 'pbkdf2-sha256', 600_000, 32);
    if (index === 3) return pbkdf2Password(text, 'pbkdf2', 1_300_000, 20);
    switch (index % 5) {
      case 0:
        return argon2Password(text);
      case 1:
        return pbkdf2Password(text, 'pbkdf2-sha512', 100, 64);
      case 2:
        return pbkdf2Password(text, 'pbkdf2-sha256', 100, 64);
      case 3:
        return pbkdf2Password(text, 'pbkdf2', 100, 64);
      default:
        // As the extension for bcrypt has it.
        return password({ value: bcryptHash(text), salt: '' }, { hashIterations: 4, algorithm: 'bcrypt' });
    }
  }

  const userOf = async (person: Person, more: object = {}) => ({
    id: person.id,
    createdTimestamp: 1_600_000_000_000 + person.index,
    username: person.email,
    enabled: true,
    totp: false,
    emailVerified: person.index % 2 === 0,
    firstName: person.firstName,
    lastName: person.lastName,
    email: person.email,
    credentials: [await credentialOf(person)],
    disableableCredentialTypes: [],
    requiredActions: [],
    realmRoles: ['default-roles-shop'],
    notBefore: 0,
    groups: person.index % 4 === 0 ? ['/gold'] : [],
    ...more,
  });

  it('log in with their old passwords, whose hashes are then our own', async () => {
    const users = people(MANY);
    const file = await migration.file(realm(await Promise.all(users.map((person) => userOf(person)))));
    expect(await migration.import(file, '--from', 'keycloak')).toMatchObject({
      lines: MANY,
      imported: MANY,
      refused: 0,
      notKept: { realmRoles: MANY, groups: 0.25 * MANY },
    });
    expect(await migration.kindsOfHashes(users)).toEqual({
      $argon2id$: 0.2 * MANY,
      '$pbkdf2-sha512$': 0.2 * MANY,
      '$pbkdf2-sha256$': 0.2 * MANY,
      '$pbkdf2-sha1$': 0.2 * MANY,
      $2a$: 0.2 * MANY,
    });
    expect(await migration.login(users[4]?.email ?? '', 'not the old password')).toMatchObject({ status: 401 });
    expect(await migration.loginAll(users)).toEqual({ 200: MANY });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': MANY });
    expect(await migration.loginAll(users.slice(0, 40))).toEqual({ 200: 40 });
  });

  it('keep what is known of them, and leave behind what has no place here', async () => {
    const [whole, plain, disabled] = people(3) as [Person, Person, Person];
    const users = [
      await userOf(whole, {
        emailVerified: true,
        username: 'ada',
        attributes: {
          locale: ['pt_BR'],
          phoneNumber: ['+12025550180'],
          phoneNumberVerified: ['true'],
          tier: ['gold'],
          tags: ['a', 'b'],
        },
        credentials: [await credentialOf(whole), { type: 'otp', secretData: '{}', credentialData: '{}' }],
        federatedIdentities: [
          { identityProvider: 'google', userId: '110169484474386276334', userName: 'ada' },
          { identityProvider: 'company', userId: 'e-17', userName: 'ada' },
          { identityProvider: 'github', userId: '17', userName: 'ada' },
        ],
        clientRoles: { app: ['admin'] },
        requiredActions: ['UPDATE_PASSWORD'],
      }),
      await userOf(plain, { credentials: [], attributes: { locale: ['not a locale'], phoneNumber: ['0151 23'] } }),
      await userOf(disabled, { enabled: false }),
    ];
    const options = [
      ...['--from', 'keycloak', '--map', 'attributes.tier=attributes.loyaltyTier'],
      ...[
        '--issuer',
        'company=https://login.example.com/',
        '--former-issuer',
        'https://keycloak.example.com/realms/shop',
      ],
    ];
    // Several files of users, one after the other.
    const file = await migration.file(users.map((user) => JSON.stringify({ realm: 'shop', users: [user] })).join('\n'));
    expect(await migration.import(file, ...options, '--dry-run')).toMatchObject({ imported: 3, refused: 0 });
    const { notKept } = await migration.import(file, ...options);
    expect(notKept).toEqual({
      'attributes.phoneNumber': 1,
      'attributes.tags': 1,
      clientRoles: 1,
      'credentials:otp': 1,
      'identity:github': 1,
      groups: 1,
      locale: 1,
      realmRoles: 3,
      requiredActions: 1,
      username: 1,
    });
    const stored = await migration.exported(whole);
    expect(stored).toMatchObject({
      customerId: whole.id,
      firstName: whole.firstName,
      lastName: whole.lastName,
      phone: '+12025550180',
      locale: 'pt-BR',
      attributes: { loyaltyTier: 'gold' },
      createdAt: '2020-09-13T12:26:40.000Z',
      updatedAt: '2020-09-13T12:26:40.000Z',
    });
    expect(stored).toHaveProperty('emailVerifiedAt');
    expect(stored).toHaveProperty('phoneVerifiedAt');
    expect(stored.externalIdentities).toEqual([
      expect.objectContaining({ issuer: 'https://accounts.google.com', subject: '110169484474386276334' }),
      expect.objectContaining({ issuer: 'https://keycloak.example.com/realms/shop', subject: whole.id }),
      expect.objectContaining({ issuer: 'https://login.example.com/', subject: 'e-17' }),
    ]);
    const bare = await migration.exported(plain);
    for (const field of ['emailVerifiedAt', 'phone', 'locale', 'passwordHash', 'disabledAt']) {
      expect(bare).not.toHaveProperty(field);
    }
    expect(await migration.exported(disabled)).toHaveProperty('disabledAt');
    expect(await migration.login(disabled.email, disabled.password)).toMatchObject({ status: 401 });
  });

  it('are refused one by one where a user cannot be taken', async () => {
    const [good, program, nameless, dear, broken, strange, again] = people(7);
    if (!good || !program || !nameless || !dear || !broken || !strange || !again) throw new Error('There are seven');
    const users = [
      await userOf(good),
      await userOf(program, { serviceAccountClientId: 'app', firstName: undefined, lastName: undefined }),
      await userOf(nameless, { firstName: undefined, lastName: ' ' }),
      await userOf(dear, {
        credentials: [
          password({ value: 'AAAA', salt: 'AAAA' }, { hashIterations: 2_000_000_000, algorithm: 'pbkdf2-sha256' }),
        ],
      }),
      await userOf(broken, { credentials: [{ type: 'password', secretData: '{"value":', credentialData: '{}' }] }),
      await userOf(strange, {
        credentials: [password({ value: 'AAAA', salt: 'AAAA' }, { hashIterations: 1, algorithm: 'md5' })],
      }),
      await userOf(again, { email: good.email.toUpperCase() }),
    ];
    const { summary, refused } = await migration.refusals(await migration.file(realm(users)), '--from', 'keycloak');
    expect(summary).toMatchObject({ lines: 7, imported: 1, refused: 6 });
    expect(refused).toEqual([
      [2, ['', 'INVALID_VALUE']],
      [3, ['firstName', 'REQUIRED'], ['lastName', 'REQUIRED']],
      [4, ['passwordHash', 'INVALID_VALUE']],
      [5, ['passwordHash', 'INVALID_FORMAT']],
      [6, ['passwordHash', 'INVALID_FORMAT']],
      [7, ['email', 'IN_USE']],
    ]);
  });
});
