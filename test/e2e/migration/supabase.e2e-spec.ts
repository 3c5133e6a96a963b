import { stringify } from 'csv-stringify/sync';
import { argon2Text, base64, bcryptHash, firebaseProject, firebaseScrypt } from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { MANY, people, type Person } from '../../support/import/foreign/people';

const CHEAP = firebaseProject(1, 4);

describe('consumers of Supabase', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  function firebaseText(password: string): string {
    const { salt, hash } = firebaseScrypt(password, CHEAP);
    const { rounds, memCost, separator, signerKey } = CHEAP;
    const parameters = `v=1,n=${memCost},r=${rounds},p=1,ss=${base64(separator)},sk=${base64(signerKey)}`;
    return `$fbscrypt$${parameters}$${base64(salt)}$${base64(hash)}`;
  }

  async function encryptedPassword({ index, password }: Person): Promise<string> {
    if (index === 0) return bcryptHash(password, 10);
    if (index % 10 === 1) return argon2Text(password);
    return index % 10 === 2 ? firebaseText(password) : bcryptHash(password);
  }

  /** A row of `auth.users`. */
  const rowOf = async (person: Person, more: object = {}) => ({
    instance_id: '00000000-0000-0000-0000-000000000000',
    id: person.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: person.email,
    encrypted_password: await encryptedPassword(person),
    email_confirmed_at: person.index % 2 === 0 ? '2021-02-03 04:05:06.789012+00' : null,
    confirmation_token: '',
    recovery_token: '0c7e',
    last_sign_in_at: null as string | null,
    raw_app_meta_data: JSON.stringify({ provider: 'email', providers: ['email'] }),
    raw_user_meta_data: JSON.stringify({
      sub: person.id,
      email: person.email,
      first_name: person.firstName,
      last_name: person.lastName,
    }),
    is_super_admin: null,
    created_at: '2020-01-02 03:04:05.6+05:30',
    updated_at: '2021-01-02 03:04:05+00',
    phone: null as string | null,
    phone_confirmed_at: null as string | null,
    banned_until: null as string | null,
    is_sso_user: 'f',
    deleted_at: null as string | null,
    is_anonymous: 'f',
    ...more,
  });

  it('log in with their old passwords, whose hashes are then our own', async () => {
    const users = people(MANY);
    const rows = await Promise.all(users.map((person) => rowOf(person)));
    const file = await migration.file(stringify(rows, { header: true }));
    expect(await migration.import(file, '--from', 'supabase')).toMatchObject({
      imported: MANY,
      refused: 0,
      notKept: {},
    });
    expect(await migration.kindsOfHashes(users)).toEqual({
      $2a$: 0.8 * MANY,
      $argon2id$: 0.1 * MANY,
      $fbscrypt$: 0.1 * MANY,
    });
    expect(await migration.loginAll(users)).toEqual({ 200: MANY });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': MANY });
  });

  it('keep what is known of them, and leave behind what has no place here', async () => {
    const [whole, banned, free] = people(3) as [Person, Person, Person];
    const identity = (provider: string, provider_id: string) => ({
      ...{ provider, provider_id, user_id: whole.id, identity_data: { sub: provider_id } },
      created_at: '2020-02-02T03:04:05.678901+00:00',
    });
    const rows = [
      await rowOf(whole, {
        phone: '12025550183',
        phone_confirmed_at: '2021-02-03T04:05:06+00:00',
        last_sign_in_at: '2022-01-01T00:00:00+00:00',
        raw_app_meta_data: { provider: 'email', providers: ['email'], roles: ['admin'] },
        raw_user_meta_data: { full_name: 'Ada King Lovelace', avatar_url: 'https://example.com/a.png', tier: 'gold' },
        identities: [
          identity('email', whole.id),
          identity('google', '110169484474386276337'),
          identity('azure', 'a-17'),
        ],
        mfa_factors: [{ factor_type: 'totp' }],
      }),
      await rowOf(banned, { banned_until: '2999-01-01T00:00:00+00:00' }),
      await rowOf(free, { banned_until: '2020-01-01T00:00:00+00:00', email_confirmed_at: null }),
    ];
    // As `psql` prints JSON, a row a line.
    const file = await migration.file(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const options = ['--from', 'supabase', '--map', 'raw_user_meta_data.tier=attributes.tier'];
    const { notKept } = await migration.import(file, ...options);
    expect(notKept).toEqual({
      'identity:azure': 1,
      last_sign_in_at: 1,
      mfa_factors: 1,
      'raw_app_meta_data.roles': 1,
      'raw_user_meta_data.avatar_url': 1,
    });
    expect(await migration.exported(whole)).toMatchObject({
      customerId: whole.id,
      firstName: 'Ada King',
      lastName: 'Lovelace',
      emailVerifiedAt: '2021-02-03T04:05:06.789Z',
      phone: '+12025550183',
      phoneVerifiedAt: '2021-02-03T04:05:06.000Z',
      attributes: { tier: 'gold' },
      createdAt: '2020-01-01T21:34:05.600Z',
      updatedAt: '2021-01-02T03:04:05.000Z',
      externalIdentities: [
        {
          issuer: 'https://accounts.google.com',
          subject: '110169484474386276337',
          linkedAt: '2020-02-02T03:04:05.678Z',
        },
      ],
    });
    expect(await migration.exported(banned)).toHaveProperty('disabledAt');
    expect(await migration.exported(free)).not.toHaveProperty('disabledAt');
    expect(await migration.exported(free)).not.toHaveProperty('emailVerifiedAt');
  });

  it('are refused one by one where a user cannot be taken', async () => {
    const [good, deleted, nobody, wrong] = people(4) as [Person, Person, Person, Person];
    const rows = [
      await rowOf(good),
      await rowOf(deleted, { deleted_at: '2022-01-01 00:00:00+00' }),
      await rowOf(nobody, { email: null, encrypted_password: null, raw_user_meta_data: '{}', is_anonymous: 't' }),
      await rowOf(wrong, { created_at: 'yesterday', encrypted_password: '$2a$31$abc', id: 'one' }),
    ];
    const file = await migration.file(`[${rows.map((row) => JSON.stringify(row)).join()}]`);
    const { summary, refused } = await migration.refusals(file, '--from', 'supabase');
    expect(summary).toMatchObject({ imported: 1, refused: 3 });
    expect(refused).toEqual([
      [2, ['', 'INVALID_VALUE']],
      [3, ['firstName', 'REQUIRED'], ['lastName', 'REQUIRED']],
      [4, ['createdAt', 'INVALID_FORMAT'], ['passwordHash', 'INVALID_FORMAT']],
    ]);
  });
});
