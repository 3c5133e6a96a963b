import { bcryptHash } from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { people, type Person } from '../../support/import/foreign/people';
import { startCli } from '../../support/service/command-line/cli';
import { until } from '../../support/until';

describe('a file of another system', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  const userOf = ({ id, email, firstName, lastName }: Person) => ({ id, username: email, email, firstName, lastName });
  const documentOf = (users: Person[]) => JSON.stringify({ realm: 'shop', users: users.map(userOf) });
  const failure = async (file: string, ...options: string[]) => {
    const { exitCode, stderr } = await migration.service.cli('consumer', 'import', file, ...options);
    expect(exitCode).toBe(1);
    return stderr.trimEnd().split('\n').at(-1);
  };
  const stored = async (users: Person[]) => {
    const emails = users.map(({ email }) => email);
    const rows = await migration.service.query('SELECT 1 FROM identifier WHERE value = ANY($1)', [emails]);
    return rows.length;
  };

  it('that ends too early gives what stands before its end, and says so', async () => {
    const users = people(700);
    const text = documentOf(users);
    const file = await migration.file(text.slice(0, text.indexOf(users[650]?.email ?? '')));
    expect(await failure(file, '--from', 'keycloak', '--dry-run')).toBe(
      `${file}: the JSON ends too early, after record 650`,
    );
    expect(await stored(users)).toBe(0);
    expect(await failure(file, '--from', 'keycloak')).toBe(`${file}: the JSON ends too early, after record 650`);
    expect(await stored(users)).toBe(650);
    // The whole file gives the rest.
    const whole = await migration.file(text);
    expect(await migration.refusals(whole, '--from', 'keycloak')).toMatchObject({
      summary: { imported: 50, refused: 650 },
    });
  });

  it('with wrong records gives the others', async () => {
    const [first, second, third] = people(3) as [Person, Person, Person];
    const records = [
      JSON.stringify(userOf(first)),
      '{"email": broken}',
      '{"email": "a@example.com", "email": "b@example.com"}',
      '"}{ no user ]["',
      '17',
      '[{"email":"c@example.com"}]',
      `{"email":"d@example.com","note":"${'x'.repeat(300_000)}"}`,
      '{"email":"\\ud800@example.com"}',
      JSON.stringify({ ...userOf(second), email: 17, firstName: ['Ada'], note: '\\"]}' }),
      JSON.stringify(userOf(third)),
    ];
    const file = await migration.file(`{"users" : [ ${records.join(' ,\n')} ] }`);
    const { summary, refused } = await migration.refusals(file, '--from', 'keycloak');
    expect(summary).toMatchObject({ lines: 10, imported: 2, refused: 8 });
    expect(refused).toEqual([
      ...[2, 3, 4, 5, 6].map((line) => [line, ['', 'MALFORMED_JSON']]),
      [7, ['', 'TOO_LONG']],
      [8, ['', 'MALFORMED_JSON']],
      [9, ['email', 'INVALID_TYPE'], ['firstName', 'INVALID_TYPE']],
    ]);
    expect(await stored([first, third])).toBe(2);
  });

  it.each([
    ['that is another file', 'keycloak', 'hello', 'the JSON is broken at byte 0, after record 0'],
    ['with a bracket too many', 'keycloak', '{"users":[]]}', 'the JSON is broken at byte 11, after record 0'],
    [
      'without users',
      'keycloak',
      '{"realm":"shop","clients":[{"users":[{}]}]}',
      'there are no users in it that --from keycloak finds',
    ],
    ['that is empty', 'kratos', '', 'there are no users in it that --from kratos finds'],
    [
      'with a quote that is never closed',
      'csv',
      'email,name\na@example.com,"Ada\n',
      'the CSV cannot be read after line 1: is a quote not closed?',
    ],
    [
      'with a column twice',
      'csv',
      'email,email\na@example.com,b@example.com\n',
      'the header has the column email twice',
    ],
  ])('%s is refused as a whole', async (_, from, text, reason) => {
    const file = await migration.file(text);
    expect(await failure(file, '--from', from)).toBe(`${file}: ${reason}`);
  });

  it('that was read in the wrong way can be read in the right one', async () => {
    const users = people(3);
    const file = await migration.file(
      users
        .map(
          (person) =>
            `${JSON.stringify({ ...userOf(person), user_id: `auth0|${person.index}`, id: undefined, firstName: undefined, lastName: undefined, name: 'Ada Lovelace' })}\n`,
        )
        .join(''),
    );
    expect(await migration.import(file)).toMatchObject({ imported: 0, refused: 3 });
    expect(await migration.import(file, '--from', 'auth0')).toMatchObject({ imported: 3, refused: 0, already: 0 });
    expect(await migration.import(file, '--from', 'auth0')).toMatchObject({ imported: 0, refused: 0, already: 3 });
  });

  it('goes on where its import was interrupted, and is imported once', async () => {
    const users = people(6_000);
    const file = await migration.file(documentOf(users));
    const { env } = migration.service;
    const { child, result } = startCli(env, 'consumer', 'import', file, '--from', 'keycloak');
    await until(async () => (await stored(users)) > 0 || child.exitCode !== null);
    child.kill('SIGINT');
    const { exitCode, stderr } = await result;
    const before = await stored(users);
    expect([exitCode, stderr.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      `Stopped after line ${before}; the same command continues there`,
    ]);
    expect(before).toBeLessThan(6_000);
    const rest = await migration.import(file, '--from', 'keycloak');
    expect(rest).toMatchObject({ lines: 6_000, already: before, imported: 6_000 - before, refused: 0 });
    expect(await stored(users)).toBe(6_000);
  });

  it.each([
    [['--map', 'a=firstName'], '--map needs --from'],
    [['--former-issuer', 'https://x.example.com'], '--former-issuer needs --from'],
    [['--from', 'okta'], '--from must be one of keycloak, auth0, firebase, supabase, kratos, csv'],
    [['--from', 'csv', '--firebase-parameters', 'x'], '--firebase-parameters belongs to --from firebase'],
    [['--from', 'csv', '--auth0-passwords', 'x'], '--auth0-passwords belongs to --from auth0'],
    [['--from', 'csv', '--map', 'firstName'], '--map must be such as theirs=ours'],
    [['--from', 'csv', '--issuer', '=x'], '--issuer must be such as theirs=ours'],
    [
      ['--from', 'csv', '--map', 'a=fristName'],
      '--map cannot fill fristName: it must be firstName, lastName, name, email, phone, birthDate, locale, passwordHash, customerId, emailVerifiedAt, phoneVerifiedAt, createdAt, updatedAt, disabledAt, address.… or attributes.…',
    ],
  ])('cannot be imported with the options %j', async (options, reason) => {
    const file = await migration.file(bcryptHash('x'));
    expect(await failure(file, ...options)).toBe(reason);
  });
});
