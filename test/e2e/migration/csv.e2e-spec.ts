import { argon2Text, bcryptHash, pbkdf2Text } from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { MANY, people, type Person } from '../../support/import/foreign/people';

describe('consumers of a CSV file', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  const hashOf = ({ index, password }: Person): string | Promise<string> => {
    if (index % 3 === 0) return bcryptHash(password, 4, '2y');
    return index % 3 === 1 ? argon2Text(password) : pbkdf2Text(password, 'sha256', 1_000);
  };

  it('log in with their old passwords, whose hashes are then our own', async () => {
    const users = people(MANY);
    const rows = await Promise.all(
      users.map(async (person) =>
        [person.id, person.email, 'yes', `"${person.firstName}"`, person.lastName, `"${await hashOf(person)}"`].join(),
      ),
    );
    const file = await migration.file(
      `customerId,E-Mail,email verified,First name,last_name,passwordHash\r\n${rows.join('\r\n')}`,
    );
    expect(await migration.import(file, '--from', 'csv')).toMatchObject({ imported: MANY, refused: 0, notKept: {} });
    expect(await migration.kindsOfHashes(users)).toEqual({
      $2b$: Math.ceil(MANY / 3),
      $argon2id$: Math.ceil((MANY - 1) / 3),
      '$pbkdf2-sha256$': Math.floor(MANY / 3),
    });
    expect(await migration.loginAll(users)).toEqual({ 200: MANY });
    expect(await migration.kindsOfHashes(users)).toEqual({ 'pepper:': MANY });
  });

  it('may have columns of any name, with semicolons between them', async () => {
    const [person] = people(1) as [Person];
    const columns = 'Kundennummer;Mail;Anrede;Name;Stadt;Land;address.postalCode;Stufe;attributes.newsletter;Seit';
    const row = `17;${person.email};Frau;"Lovelace, Ada";"Bern; Schweiz";CH;3000;gold;yes;1600000000000`;
    const map = Object.entries({
      ...{ Mail: 'email', Stadt: 'address.city', Land: 'address.country', Seit: 'createdAt' },
      ...{ Stufe: 'attributes.tier', Kundennummer: 'attributes.number' },
    }).flatMap(([theirs, ours]) => ['--map', `${theirs}=${ours}`]);
    const file = await migration.file(`\ufeff${columns}\n${row}\n`);
    const { notKept } = await migration.import(file, '--from', 'csv', ...map);
    expect(notKept).toEqual({ Anrede: 1 });
    expect(await migration.exported(person)).toMatchObject({
      ...{ firstName: 'Ada', lastName: 'Lovelace', createdAt: '2020-09-13T12:26:40.000Z' },
      address: { city: 'Bern; Schweiz', country: 'CH', postalCode: '3000' },
      attributes: { tier: 'gold', number: '17', newsletter: 'yes' },
    });
  });

  it('are refused one by one where a row cannot be taken', async () => {
    const [good] = people(1) as [Person];
    const rows: (string | Buffer)[] = [
      'email,emailVerified,firstName,lastName,birthDate,passwordHash\n',
      `${good.email},1,Ada,Lovelace,1815-12-10,\n`,
      'a@example.com,true,Ada\n',
      `${good.email},,Ada,Lovelace,,\n`,
      'ada,maybe,Ada,"Two\nlines",10.12.1815,plain text\n',
      Buffer.from('b@example.com,,Zo\xeb,Lovelace,,\n', 'latin1'),
      ',,,,,\n',
      '\n',
      'c@example.com,,"Ada ""the first""",Lovelace,,\n',
    ];
    const file = await migration.file(Buffer.concat(rows.map((row) => Buffer.from(row))));
    const { summary, refused } = await migration.refusals(file, '--from', 'csv');
    expect(summary).toMatchObject({ lines: 7, imported: 2, refused: 5 });
    // A row is known by the line on which it ends.
    expect(refused).toEqual([
      [3, ['', 'INVALID_FORMAT']],
      [4, ['email', 'IN_USE']],
      [
        6,
        ...[
          ['birthDate', 'INVALID_FORMAT'],
          ['email', 'INVALID_FORMAT'],
        ],
        ...[
          ['emailVerified', 'INVALID_TYPE'],
          ['lastName', 'INVALID_FORMAT'],
          ['passwordHash', 'INVALID_FORMAT'],
        ],
      ],
      [7, ['', 'INVALID_FORMAT']],
      [8, ['firstName', 'REQUIRED'], ['lastName', 'REQUIRED']],
    ]);
  });
});
