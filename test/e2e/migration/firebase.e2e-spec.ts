import { base64, type FirebaseProject, firebaseProject, firebaseScrypt } from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { MANY, people, type Person } from '../../support/import/foreign/people';

const CHEAP = firebaseProject(1, 4);

/** As the console of Firebase shows them. */
const parametersOf = ({ signerKey, separator, rounds, memCost }: FirebaseProject) => `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${base64(signerKey)},
  base64_salt_separator: ${base64(separator)},
  rounds: ${rounds},
  mem_cost: ${memCost},
}
`;

describe('consumers of Firebase', () => {
  let migration: Migration;
  let cheap: string;

  beforeAll(async () => {
    migration = await Migration.start();
    cheap = await migration.file(parametersOf(CHEAP));
  });
  afterAll(() => migration.close());

  /** A user of `firebase auth:export FILE.json`. */
  function userOf(person: Person, project: FirebaseProject, more: object = {}) {
    const { salt, hash } = firebaseScrypt(person.password, project);
    return {
      localId: `uid-${person.id}`,
      email: person.email,
      emailVerified: person.index % 2 === 0,
      passwordHash: base64(hash),
      salt: base64(salt),
      displayName: `${person.firstName} ${person.lastName}`,
      lastSignedInAt: '1600000100000',
      createdAt: '1600000000000',
      disabled: false,
      providerUserInfo: [],
      ...more,
    };
  }
  const document = (users: object[]) =>
    `{"users": [\n${users.map((user) => JSON.stringify(user, null, 2)).join(',\n')}]}`;

  /** A row of `firebase auth:export FILE.csv`, which has no header and quotes only what holds a comma. */
  function rowOf(person: Person, displayName: string, more: Record<number, string> = {}) {
    const { salt, hash } = firebaseScrypt(person.password, CHEAP);
    const cells = Array<string>(28).fill('');
    cells.splice(0, 6, `uid-${person.id}`, person.email, 'true', base64(hash), base64(salt), displayName);
    Object.assign(cells, { 23: '1600000000000', 24: '1600000100000', 26: 'false', ...more });
    return `${cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')},\n`;
  }

  it('log in with their old passwords, whose hashes are then our own', async () => {
    const users = people(MANY);
    const file = await migration.file(document(users.map((person) => userOf(person, CHEAP))));
    const options = ['--from', 'firebase', '--firebase-parameters', cheap];
    expect(await migration.import(file, ...options)).toMatchObject({
      imported: MANY,
      refused: 0,
      notKept: { id: MANY, lastSignedInAt: MANY },
    });
    expect(await migration.kindsOfHashes(users)).toEqual({ $fbscrypt$: MANY });
    expect(await migration.login(users[1]?.email ?? '', 'not the old password')).toMatchObject({ status: 401 });
    expect(await migration.loginAll(users)).toEqual({ 200: MANY });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': MANY });
  });

  it('log in where the project has the parameters that Firebase gives', async () => {
    const users = people(5);
    const project = firebaseProject(8, 14);
    const json = JSON.stringify({
      algorithm: 'SCRYPT',
      signerKey: base64(project.signerKey),
      saltSeparator: base64(project.separator),
      rounds: 8,
      memoryCost: 14,
    });
    const options = ['--from', 'firebase', '--firebase-parameters', await migration.file(json)];
    const file = await migration.file(document(users.map((person) => userOf(person, project))));
    expect(await migration.import(file, ...options)).toMatchObject({ imported: 5 });
    expect(await migration.loginAll(users)).toEqual({ 200: 5 });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': 5 });
  });

  it('come from CSV as well', async () => {
    const [plain, comma, quotes] = people(3) as [Person, Person, Person];
    const rows = [
      rowOf(plain, 'Renée Dupont', { 7: '110169484474386276336', 25: '+12025550182', 27: '{""admin"":true}' }),
      rowOf(comma, 'Lovelace, Ada', { 19: '17' }),
      rowOf(quotes, 'Jo "Jojo" Smith', { 26: 'true' }),
    ];
    const options = [
      '--from',
      'firebase',
      '--firebase-parameters',
      cheap,
      '--former-issuer',
      'https://securetoken.google.com/shop',
    ];
    const summary = await migration.import(await migration.file(rows.join('')), ...options);
    expect(summary).toMatchObject({ imported: 3, refused: 0 });
    expect(summary.notKept).toEqual({ customAttributes: 1, 'identity:github.com': 1, lastSignedInAt: 3 });
    expect(await migration.exported(plain)).toMatchObject({
      ...{ firstName: 'Renée', lastName: 'Dupont', phone: '+12025550182', createdAt: '2020-09-13T12:26:40.000Z' },
      emailVerifiedAt: expect.any(String) as string,
      phoneVerifiedAt: expect.any(String) as string,
      externalIdentities: [
        expect.objectContaining({ issuer: 'https://accounts.google.com', subject: '110169484474386276336' }),
        expect.objectContaining({ issuer: 'https://securetoken.google.com/shop', subject: `uid-${plain.id}` }),
      ],
    });
    expect(await migration.exported(comma)).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace' });
    expect(await migration.exported(quotes)).toMatchObject({
      firstName: 'Jo "Jojo"',
      disabledAt: expect.any(String) as string,
    });
    expect(await migration.loginAll([plain, comma])).toEqual({ 200: 2 });
  });

  it('are refused one by one where a user cannot be taken', async () => {
    const [good, redacted, single, empty] = people(4) as [Person, Person, Person, Person];
    const users = [
      userOf(good, CHEAP),
      userOf(redacted, CHEAP, { passwordHash: 'UkVEQUNURUQ=' }),
      userOf(single, CHEAP, { displayName: 'Cher' }),
      userOf(empty, CHEAP, { displayName: undefined }),
    ];
    const options = ['--from', 'firebase', '--firebase-parameters', cheap];
    const { summary, refused } = await migration.refusals(await migration.file(document(users)), ...options);
    expect(summary).toMatchObject({ imported: 1, refused: 3 });
    expect(refused).toEqual([
      [2, ['passwordHash', 'INVALID_FORMAT']],
      [3, ['lastName', 'REQUIRED']],
      [4, ['firstName', 'REQUIRED'], ['lastName', 'REQUIRED']],
    ]);
    // The same file with other settings is another import, and who is here already stays.
    const second = await migration.refusals(await migration.file(document(users)), ...options, '--missing-name', '–');
    expect(second.summary).toMatchObject({ imported: 2, refused: 2, already: 0 });
    expect(second.refused).toEqual([
      [1, ['email', 'IN_USE']],
      [2, ['passwordHash', 'INVALID_FORMAT']],
    ]);
    expect(await migration.exported(single)).toMatchObject({ firstName: 'Cher', lastName: '–' });
  });

  it('need the parameters of their project', async () => {
    const users = people(2) as [Person, Person];
    const file = await migration.file(document(users.map((person) => userOf(person, CHEAP))));
    const { refused } = await migration.refusals(file, '--from', 'firebase');
    expect(refused).toEqual([1, 2].map((line) => [line, ['passwordHash', 'INVALID_VALUE']]));
    const wrong = await migration.file(parametersOf(CHEAP).replace(/rounds.*/, 'rounds: many,'));
    const { exitCode, stderr } = await migration.service.cli(
      ...['consumer', 'import', file, '--from', 'firebase', '--firebase-parameters', wrong],
    );
    expect([exitCode, stderr]).toEqual([1, `${wrong}: rounds is missing or wrong\n`]);
  });
});
