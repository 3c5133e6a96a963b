import {
  type Argon2Cost,
  argon2Text,
  base64,
  bcryptHash,
  firebaseProject,
  firebaseScrypt,
  pbkdf2Text,
  scrypt,
  sha2,
} from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { MANY, people, type Person } from '../../support/import/foreign/people';

const DEFAULT_ARGON2: Argon2Cost = { memory: 131_072, iterations: 1, parallelism: 4 };

describe('consumers of Ory Kratos', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  /** Kratos writes N, not its logarithm. */
  function scryptText(password: string, N: number): string {
    const { salt, hash } = scrypt(password, N);
    return `$scrypt$ln=${N},r=8,p=1$${base64(salt)}$${base64(hash)}`;
  }

  function firebaseText(password: string): string {
    const project = firebaseProject(1, 4);
    const { salt, hash } = firebaseScrypt(password, project);
    const parts = [salt, hash, project.separator, project.signerKey].map(base64);
    return `$firescrypt$ln=4,r=1,p=1$${parts.join('$')}`;
  }

  const shaText = (digest: string, template: string, ...parts: string[]) =>
    `$${digest}$pf=${base64(Buffer.from(template))}$${base64(Buffer.from('NaCl'))}$${base64(sha2(digest, ...parts))}`;

  function hashedPassword({ index, password }: Person): string | Promise<string> {
    if (index === 0) return bcryptHash(password, 12);
    if (index === 1) return argon2Text(password, DEFAULT_ARGON2);
    if (index === 4) return scryptText(password, 16_384);
    switch (index % 10) {
      case 1:
        return argon2Text(password);
      case 2:
        return argon2Text(password, { memory: 64, iterations: 2, parallelism: 2 }, 'argon2i');
      case 3:
        return pbkdf2Text(password, index % 20 === 3 ? 'sha256' : 'sha512', 1_000);
      case 4:
        return scryptText(password, 16);
      case 5:
        return firebaseText(password);
      case 6:
        return shaText('sha256', '{SALT}$${PASSWORD}', 'NaCl', '$$', password);
      case 7:
        return shaText('sha512', '{PASSWORD}{SALT}', password, 'NaCl');
      case 8:
        return `{SSHA256}${base64(Buffer.concat([sha2('sha256', password, 'NaCl'), Buffer.from('NaCl')]))}`;
      default:
        return bcryptHash(password);
    }
  }

  /** An identity of `GET /admin/identities?include_credential=password&include_credential=oidc`. */
  const identityOf = async (person: Person, more: object = {}) => ({
    id: person.id,
    credentials: {
      password: {
        type: 'password',
        identifiers: [person.email],
        config: { hashed_password: await hashedPassword(person) },
        version: 0,
        created_at: '2020-01-02T03:04:05.678901Z',
        updated_at: '2020-01-02T03:04:05.678901Z',
      } as object,
    } as object,
    schema_id: 'default',
    schema_url: 'https://kratos.example.com/schemas/ZGVmYXVsdA',
    state: 'active',
    state_changed_at: '2020-01-02T03:04:05.678901Z',
    traits: { email: person.email, name: { first: person.firstName, last: person.lastName } } as object,
    verifiable_addresses: [
      {
        ...{ id: person.id, value: person.email, via: 'email' },
        ...(person.index % 2 === 0
          ? { verified: true, status: 'completed', verified_at: '2020-02-02T03:04:05.678901Z' }
          : { verified: false, status: 'sent' }),
      },
    ],
    recovery_addresses: [{ id: person.id, value: person.email, via: 'email' }],
    metadata_public: null as object | null,
    created_at: '2020-01-02T03:04:05.678901Z',
    updated_at: '2021-01-02T03:04:05.678901Z',
    organization_id: null,
    ...more,
  });

  it('log in with their old passwords, whose hashes are then our own', async () => {
    const users = people(MANY);
    const identities = await Promise.all(users.map((person) => identityOf(person)));
    const file = await migration.file(JSON.stringify(identities));
    expect(await migration.import(file, '--from', 'kratos')).toMatchObject({
      imported: MANY,
      refused: 0,
      notKept: {},
    });
    expect(await migration.kindsOfHashes(users)).toEqual({
      ...{
        $2a$: 0.2 * MANY,
        $argon2id$: 0.1 * MANY,
        $argon2i$: 0.1 * MANY,
        '$pbkdf2-sha256$': 0.05 * MANY,
        '$pbkdf2-sha512$': 0.05 * MANY,
      },
      ...{ $scrypt$: 0.1 * MANY, $fbscrypt$: 0.1 * MANY, $sha256$: 0.2 * MANY, $sha512$: 0.1 * MANY },
    });
    for (const person of users.slice(0, 10)) {
      expect(await migration.login(person.email, `${person.password}!`)).toMatchObject({ status: 401 });
    }
    expect(await migration.loginAll(users)).toEqual({ 200: MANY });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': MANY });
  });

  it('keep what is known of them, and leave behind what has no place here', async () => {
    const [whole, hooked] = people(2) as [Person, Person];
    const { credentials } = await identityOf(whole);
    const identities = [
      await identityOf(whole, {
        state: 'inactive',
        traits: {
          ...{ email: whole.email, phone: '+12025550184', name: 'Lovelace, Ada', locale: 'de-CH' },
          ...{ address: { city: 'Bern' }, newsletter: true },
        },
        credentials: {
          ...credentials,
          oidc: {
            type: 'oidc',
            identifiers: ['google:110169484474386276338', 'spotify:17'],
            config: { providers: [{ provider: 'google', subject: '110169484474386276338', initial_id_token: 'e30' }] },
          },
          totp: { type: 'totp', identifiers: [whole.id], config: { totp_url: 'otpauth://totp/x' } },
        },
        metadata_public: { plan: 'free' },
        metadata_admin: { risk: 3 },
      }),
      await identityOf(hooked, {
        credentials: {
          password: { type: 'password', config: { use_password_migration_hook: true } },
          oidc: { type: 'oidc', identifiers: ['apple:001.abc.18', 'spotify:18'], config: {} },
        },
      }),
    ];
    const file = await migration.file(identities.map((identity) => `${JSON.stringify(identity)}\n`).join(''));
    const options = [
      '--from',
      'kratos',
      '--map',
      'traits.newsletter=attributes.newsletter',
      '--map',
      'traits.address.city=address.city',
    ];
    const { notKept } = await migration.import(file, ...options);
    expect(notKept).toEqual({
      'credentials.password.config.use_password_migration_hook': 1,
      'credentials.totp': 1,
      'identity:spotify': 1,
      'metadata_admin.risk': 1,
      'metadata_public.plan': 1,
    });
    expect(await migration.exported(whole)).toMatchObject({
      ...{ customerId: whole.id, firstName: 'Ada', lastName: 'Lovelace', locale: 'de-CH' },
      ...{
        phone: '+12025550184',
        emailVerifiedAt: '2020-02-02T03:04:05.678Z',
        disabledAt: expect.any(String) as string,
      },
      ...{ address: { city: 'Bern' }, attributes: { newsletter: true }, createdAt: '2020-01-02T03:04:05.678Z' },
      externalIdentities: [
        expect.objectContaining({ issuer: 'https://accounts.google.com', subject: '110169484474386276338' }),
      ],
    });
    expect(await migration.exported(whole)).not.toHaveProperty('phoneVerifiedAt');
    expect(await migration.exported(hooked)).toMatchObject({
      externalIdentities: [expect.objectContaining({ issuer: 'https://appleid.apple.com', subject: '001.abc.18' })],
    });
  });

  it('are refused one by one where an identity cannot be taken', async () => {
    const [good, ...others] = people(5) as [Person, ...Person[]];
    const hashes = [
      '$md5$CY9rzUYh03PK3k6DJie09g==',
      '$scrypt$ln=16385,r=8,p=1$2npRo7P03Mt8keSoMbyD/g==$MiCzNcIplSMqSBrm4HckjQ==',
      '$argon2id$v=19$m=4194304,t=1,p=4$cm94YnRVOW5jZzFzcVE4bQ$MNzk5BtR2vUhrp6qQEjRNw',
    ];
    const identities = [
      await identityOf(good),
      ...(await Promise.all(
        hashes.map((hashed_password, index) =>
          identityOf(others[index] ?? good, { credentials: { password: { config: { hashed_password } } } }),
        ),
      )),
      await identityOf(others[3] ?? good, { traits: { username: 'ada' } }),
    ];
    const { summary, refused } = await migration.refusals(
      await migration.file(JSON.stringify(identities)),
      '--from',
      'kratos',
    );
    expect(summary).toMatchObject({ imported: 1, refused: 4 });
    expect(refused).toEqual([
      [2, ['passwordHash', 'INVALID_FORMAT']],
      [3, ['passwordHash', 'INVALID_FORMAT']],
      [4, ['passwordHash', 'INVALID_VALUE']],
      [5, ['firstName', 'REQUIRED'], ['lastName', 'REQUIRED']],
    ]);
  });
});
