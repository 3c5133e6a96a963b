import { randomUUID } from 'node:crypto';
import {
  argon2Text,
  base64,
  bcryptHash,
  firebaseProject,
  firebaseScrypt,
  pbkdf2Text,
  scrypt,
  sha2,
  unpadded,
} from '../../support/import/foreign/hashes';
import { Migration } from '../../support/import/foreign/migration';
import { people, type Person } from '../../support/import/foreign/people';

describe('a hash of another system in our own format', () => {
  let migration: Migration;

  beforeAll(async () => {
    migration = await Migration.start();
  });
  afterAll(() => migration.close());

  const lineOf = (person: Person, passwordHash: string) => {
    const { id, email, firstName, lastName } = person;
    return `${JSON.stringify({ customerId: id, email, firstName, lastName, passwordHash })}\n`;
  };

  function firebaseText(password: string): string {
    const { signerKey, separator, rounds, memCost } = firebaseProject(8, 14);
    const { salt, hash } = firebaseScrypt(password, { signerKey, separator, rounds, memCost });
    const parameters = `v=1,n=14,r=8,p=1,ss=${base64(separator)},sk=${base64(signerKey)}`;
    return `$fbscrypt$${parameters}$${base64(salt)}$${base64(hash)}`;
  }

  function scryptText(password: string): string {
    const { salt, hash } = scrypt(password, 2 ** 14);
    return `$scrypt$ln=14,r=8,p=1$${unpadded(salt)}$${unpadded(hash)}`;
  }

  const FORMS: [name: string, make: (password: string) => string | Promise<string>][] = [
    ['bcrypt of cost 10', (password) => bcryptHash(password, 10, '2y')],
    ['Argon2id of 64 MiB', (password) => argon2Text(password, { memory: 65_536, iterations: 3, parallelism: 4 })],
    ['Argon2i', (password) => argon2Text(password, { memory: 4_096, iterations: 3, parallelism: 1 }, 'argon2i')],
    ['PBKDF2 of 600,000 rounds', (password) => pbkdf2Text(password, 'sha256', 600_000)],
    ['scrypt of 16 MiB', scryptText],
    ['Firebase’s scrypt', firebaseText],
    [
      'SHA-512 with a salt',
      (password) =>
        `$sha512$pf=${base64(Buffer.from('{SALT}{PASSWORD}'))}$c2FsdA==$${base64(sha2('sha512', 'salt', password))}`,
    ],
    [
      'SHA-256 without a salt',
      (password) => `$sha256$pf=${base64(Buffer.from('{PASSWORD}'))}$$${base64(sha2('sha256', password))}`,
    ],
  ];

  it.each(FORMS)('lets its consumer log in once, and is then our own (%s)', async (_, make) => {
    const [person] = people(1) as [Person];
    const hash = await make(person.password);
    expect(await migration.import(await migration.file(lineOf(person, hash)))).toMatchObject({ imported: 1 });
    // What was stored can be imported again.
    expect(await migration.exported(person)).toMatchObject({ passwordHash: hash.replace(/^\$2y/, '$2b') });
    for (const wrong of [`${person.password} `, person.password.slice(1), 'x'.repeat(256)]) {
      expect(await migration.login(person.email, wrong)).toMatchObject({ status: 401 });
    }
    expect(await migration.login(person.email, person.password)).toMatchObject({ status: 200, customerId: person.id });
    expect(await migration.kindsOfHashes([person])).toEqual({ 'pepper:': 1 });
    expect(await migration.login(person.email, person.password)).toMatchObject({ status: 200 });
  });

  it('is counted like any other while it is guessed at', async () => {
    const [person] = people(1) as [Person];
    await migration.import(await migration.file(lineOf(person, pbkdf2Text(person.password, 'sha1', 10))));
    const guesses = Array.from({ length: 12 }, () => migration.login(person.email, randomUUID()));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect(await migration.login(person.email, person.password)).toMatchObject({ status: 429 });
  });

  it('is refused where a login would cost too much, or where it is none', async () => {
    const salted = 'c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmmaJObG';
    const cases: [hash: string, code: string][] = [
      [`$argon2id$v=19$m=1048576,t=1,p=1$${salted}`, 'INVALID_VALUE'],
      [`$argon2id$v=19$m=65536,t=4000000000,p=1$${salted}`, 'INVALID_VALUE'],
      [`$argon2id$v=19$m=8,t=1,p=4000000000$${salted}`, 'INVALID_VALUE'],
      [`$scrypt$ln=30,r=8,p=1$${salted}`, 'INVALID_VALUE'],
      [`$scrypt$ln=14,r=8,p=1000000$${salted}`, 'INVALID_VALUE'],
      [`$pbkdf2-sha512$i=2147483647,l=24$${salted}`, 'INVALID_VALUE'],
      [`$pbkdf2-sha512$i=99999999999,l=24$${salted}`, 'INVALID_FORMAT'],
      [`$argon2id$v=16$m=64,t=1,p=1$${salted}`, 'INVALID_FORMAT'],
      [`$argon2id$m=64,t=1,p=1$${salted}`, 'INVALID_FORMAT'],
      [`$md5$${salted}`, 'INVALID_FORMAT'],
      ['plain text', 'INVALID_FORMAT'],
      ['$2b$17$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01232', 'INVALID_FORMAT'],
    ];
    const users = people(cases.length);
    const file = await migration.file(users.map((person) => lineOf(person, cases[person.index]?.[0] ?? '')).join(''));
    const { summary, refused } = await migration.refusals(file);
    expect(summary).toMatchObject({ imported: 0, refused: cases.length });
    expect(refused).toEqual(cases.map(([, code], index) => [index + 1, ['passwordHash', code]]));
  });
});
