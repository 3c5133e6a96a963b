import { argon2Text, base64, bcryptHash, pbkdf2Text, scrypt, sha2 } from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { MANY, people, type Person } from '../../support/import/foreign/people';

const lines = (records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const oidOf = ({ id }: Person) => id.replaceAll('-', '').slice(0, 24);

describe('consumers of Auth0', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  /** A line of a bulk user export. */
  const userOf = (person: Person, more: object = {}) => ({
    user_id: `auth0|${oidOf(person)}`,
    email: person.email,
    email_verified: person.index % 2 === 0,
    name: `${person.firstName} ${person.lastName}`,
    created_at: '2020-01-02T03:04:05.678Z',
    updated_at: '2021-01-02T03:04:05.678Z',
    identities: [
      { connection: 'Username-Password-Authentication', user_id: oidOf(person), provider: 'auth0', isSocial: false },
    ],
    ...more,
  });

  /** A line of the export of password hashes, which knows no names. */
  const hashOf = (person: Person, passwordHash: string) => ({
    _id: { $oid: oidOf(person) },
    email_verified: true,
    email: person.email,
    passwordHash,
    password_set_date: { $date: '2019-12-06T18:36:12.412Z' },
    tenant: 'example-tenant',
    connection: 'Username-Password-Authentication',
    _tmp_is_unique: true,
  });

  it('log in with their old passwords, which another file has, and whose hashes are then our own', async () => {
    const users = people(MANY);
    const file = await migration.file(lines(users.map((person) => userOf(person))));
    // In another order, and with the cost of Auth0 once.
    const hashes = users.map((person) =>
      hashOf(person, bcryptHash(person.password, person.index === 0 ? 10 : 4, '2b')),
    );
    const options = ['--from', 'auth0', '--auth0-passwords', await migration.file(lines(hashes.reverse()))];
    expect(await migration.import(file, ...options)).toMatchObject({
      imported: MANY,
      refused: 0,
      notKept: { id: MANY },
    });
    expect(await migration.kindsOfHashes(users)).toEqual({ $2b$: MANY });
    expect(await migration.loginAll(users)).toEqual({ 200: MANY });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': MANY });
  });

  it('log in with passwords that Auth0 itself had from elsewhere', async () => {
    const algorithms: ((password: string) => object | Promise<object>)[] = [
      (password) => ({ algorithm: 'bcrypt', hash: { value: bcryptHash(password) } }),
      async (password) => ({ algorithm: 'argon2', hash: { value: await argon2Text(password), encoding: 'utf8' } }),
      (password) => ({ algorithm: 'pbkdf2', hash: { value: pbkdf2Text(password, 'sha512', 1_000), encoding: 'utf8' } }),
      (password) => ({
        algorithm: 'pbkdf2',
        hash: { value: pbkdf2Text(password, 'sha256', 100_000, 64).replace('$i=100000,l=64', '') },
      }),
      (password) => ({
        algorithm: 'sha256',
        hash: { value: sha2('sha256', 'abc123', password).toString('hex').toUpperCase(), encoding: 'hex' },
        salt: { value: 'abc123', position: 'prefix' },
      }),
      (password) => ({
        algorithm: 'sha512',
        hash: { value: sha2('sha512', password, Buffer.from('00ff', 'hex')).toString('base64url'), encoding: 'base64' },
        salt: { value: '00FF', encoding: 'hex', position: 'suffix' },
      }),
      (password) => ({ algorithm: 'sha256', hash: { value: base64(sha2('sha256', password)), encoding: 'base64' } }),
      (password) => ({
        algorithm: 'ldap',
        hash: { value: `{SSHA512}${base64(Buffer.concat([sha2('sha512', password, 'salt'), Buffer.from('salt')]))}` },
      }),
      (password) => {
        const { salt, hash } = scrypt(password, 1_024);
        return {
          algorithm: 'scrypt',
          hash: { value: hash.toString('hex'), encoding: 'hex' },
          salt: { value: base64(salt), encoding: 'base64' },
          ...{ keylen: 32, cost: 1_024, blockSize: 8, parallelization: 1 },
        };
      },
    ];
    const users = people(algorithms.length);
    const records = await Promise.all(
      users.map(async (person) =>
        userOf(person, { custom_password_hash: await algorithms[person.index]?.(person.password) }),
      ),
    );
    // The form in which users are imported into Auth0 is a list.
    const file = await migration.file(JSON.stringify(records));
    expect(await migration.import(file, '--from', 'auth0')).toMatchObject({ imported: users.length, refused: 0 });
    expect(await migration.loginAll(users)).toEqual({ 200: users.length });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': users.length });
  });

  it('keep what is known of them, and leave behind what has no place here', async () => {
    const [whole, social] = people(2) as [Person, Person];
    const users = [
      userOf(whole, {
        given_name: 'Ada',
        family_name: 'King',
        phone_number: '+12025550181',
        phone_verified: true,
        blocked: true,
        nickname: 'ada',
        user_metadata: { tier: 'gold', theme: 'light' },
        app_metadata: { roles: ['admin'] },
        multifactor: ['guardian'],
        last_ip: '192.0.2.1',
      }),
      userOf(social, {
        user_id: 'google-oauth2|110169484474386276335',
        locale: 'en-GB',
        identities: [
          { connection: 'google-oauth2', user_id: '110169484474386276335', provider: 'google-oauth2', isSocial: true },
          { connection: 'apple', user_id: '001.abc.17', provider: 'apple', isSocial: true },
          { connection: 'github', user_id: 17, provider: 'github', isSocial: true },
        ],
      }),
    ];
    const options = ['--from', 'auth0', '--map', 'user_metadata.tier=attributes.tier'];
    const { notKept } = await migration.import(
      await migration.file(lines(users)),
      ...options,
      ...['--former-issuer', 'https://shop.eu.auth0.com/'],
    );
    expect(notKept).toEqual({
      'app_metadata.roles': 1,
      'identity:github': 1,
      last_ip: 1,
      multifactor: 1,
      nickname: 1,
      'user_metadata.theme': 1,
    });
    expect(await migration.exported(whole)).toMatchObject({
      firstName: 'Ada',
      lastName: 'King',
      phone: '+12025550181',
      attributes: { tier: 'gold' },
      createdAt: '2020-01-02T03:04:05.678Z',
      updatedAt: '2021-01-02T03:04:05.678Z',
      disabledAt: expect.any(String) as string,
      externalIdentities: [
        expect.objectContaining({ issuer: 'https://shop.eu.auth0.com/', subject: `auth0|${oidOf(whole)}` }),
      ],
    });
    expect(await migration.exported(social)).toMatchObject({
      firstName: social.firstName,
      lastName: social.lastName,
      locale: 'en-GB',
      externalIdentities: [
        expect.objectContaining({ issuer: 'https://accounts.google.com', subject: '110169484474386276335' }),
        expect.objectContaining({ issuer: 'https://appleid.apple.com', subject: '001.abc.17' }),
        expect.objectContaining({ subject: 'google-oauth2|110169484474386276335' }),
      ],
    });
  });

  it('are refused one by one where a user cannot be taken', async () => {
    const [good, nameless, md5, encoded] = people(4) as [Person, Person, Person, Person];
    const file = await migration.file(
      lines([
        userOf(good),
        '{"email":',
        userOf(nameless, { name: nameless.email }),
        userOf(md5, { custom_password_hash: { algorithm: 'md5', hash: { value: 'AAAA', encoding: 'base64' } } }),
        userOf(encoded, {
          custom_password_hash: {
            ...{ algorithm: 'sha256', hash: { value: base64(sha2('sha256', 'x')), encoding: 'base64' } },
            password: { encoding: 'utf16le' },
          },
        }),
        userOf(good),
      ]).replace(String.raw`"{\"email\":"`, '{"email":'),
    );
    const { summary, refused } = await migration.refusals(file, '--from', 'auth0');
    expect(summary).toMatchObject({ lines: 6, imported: 1, refused: 5 });
    expect(refused).toEqual([
      [2, ['', 'MALFORMED_JSON']],
      [3, ['firstName', 'REQUIRED'], ['lastName', 'REQUIRED']],
      [4, ['passwordHash', 'INVALID_FORMAT']],
      [5, ['passwordHash', 'INVALID_FORMAT']],
      [6, ['email', 'IN_USE']],
    ]);
  });

  it('lose no password in a file of hashes that cannot be read', async () => {
    const [person] = people(1) as [Person];
    const users = await migration.file(lines([userOf(person)]));
    const hashes = await migration.file(`${lines([hashOf(person, bcryptHash(person.password))])}{"_id":`);
    const { exitCode, stderr } = await migration.service.cli(
      ...['consumer', 'import', users, '--from', 'auth0', '--auth0-passwords', hashes],
    );
    expect([exitCode, stderr]).toEqual([1, `${hashes}: line 2 is no user of an export of hashes\n`]);
    expect(await migration.kindsOfHashes([person])).toEqual({});
  });
});
