import { readFile, stat, writeFile } from 'node:fs/promises';
import { newPerson, register } from '../../support/api/consumers';
import { FOREIGN_HASH, importRecords, readLines, writeLines } from '../../support/import/file';
import { IMPORTED, Installation } from '../../support/import/installation';
import { TestService } from '../../support/service/test-service';

interface Refusal {
  line: number;
  errors: { field: string; code: string }[];
}

describe('the lines that an import refuses', () => {
  let installation: Installation;
  let app: TestService;

  afterAll(() => installation.close());

  const path = (name: string) => installation.path(name);
  const count = (table: string, where?: string) => installation.count(table, where);
  const importFile = (file: string, ...options: string[]) => installation.importFile(file, ...options);

  const file = () => path('refusals.ndjson');
  const taken = newPerson({ email: 'taken@example.com', phone: '+12125550999' });
  const someone = (fields: object) => ({ firstName: 'Secretname', lastName: 'Secretname', ...fields });
  const linked = (subject: string) => ({ issuer: 'https://id.example.com', subject });
  const noName: [string, string][] = [
    ['externalIdentities.0.issuer', 'TOO_SHORT'],
    ['externalIdentities.0.subject', 'REQUIRED'],
  ];
  let takenId: string;
  let expected: Refusal[];

  const refusal = (line: number, ...errors: [field: string, code: string][]): Refusal => ({
    line,
    errors: errors.map(([field, code]) => ({ field, code })),
  });
  const codesOf = (refusals: Refusal[]): Refusal[] =>
    refusals.map(({ line, errors }) =>
      refusal(line, ...errors.map(({ field, code }) => [field, code] as [string, string])),
    );

  beforeAll(async () => {
    installation = await Installation.start();
    app = installation.service;
    takenId = (await register(await app.client(), taken)).customerId;
    const filler = importRecords(1_200).map(({ phone: _, ...record }) => record);
    const unknownPepper = `pepper:0badc0de:${FOREIGN_HASH}`;
    const cases: [string | Buffer | object, ...[string, string][]][] = [
      [someone({ email: 'first@example.com', phone: '+12125550998' })],
      [someone({ email: 'TAKEN@example.com', phone: '+1 212 555 0999' }), ['email', 'IN_USE'], ['phone', 'IN_USE']],
      [someone({ customerId: takenId.toUpperCase() }), ['customerId', 'IN_USE']],
      ['{"firstName":"Secretname"', ['', 'MALFORMED_JSON']],
      ['["Secretname"]', ['', 'MALFORMED_JSON']],
      [Buffer.from('{"firstName":"Secretname\xff","lastName":"x"}', 'latin1'), ['', 'MALFORMED_JSON']],
      ['{"firstName":"a","firstName":"b","lastName":"c"}', ['', 'MALFORMED_JSON']],
      [someone({ note: 'x'.repeat(20_480) }), ['', 'TOO_LONG']],
      [someone({ email: 'second@example.com', birthDate: '2023-02-29' }), ['birthDate', 'INVALID_FORMAT']],
      [someone({ phone: 491_511 }), ['phone', 'INVALID_TYPE']],
      [someone({ password: 'Secretname in clear' }), ['password', 'FORBIDDEN']],
      [someone({ passwordHash: '$1$Secretname' }), ['passwordHash', 'INVALID_FORMAT']],
      [someone({ passwordHash: FOREIGN_HASH.replace('$04$', '$17$') }), ['passwordHash', 'INVALID_FORMAT']],
      [someone({ passwordHash: unknownPepper }), ['passwordHash', 'INVALID_VALUE']],
      [someone({ emailVerified: true }), ['email', 'REQUIRED']],
      [
        someone({ customerId: 'Secretname', createdAt: '2020-01-01' }),
        ['customerId', 'INVALID_FORMAT'],
        ['createdAt', 'INVALID_FORMAT'],
      ],
      [someone({ updatedAt: '9999-12-31T00:00:00Z' }), ['updatedAt', 'INVALID_VALUE']],
      [{ type: 'COMPANY', firstName: 'Secretname' }, ['type', 'INVALID_VALUE'], ['lastName', 'REQUIRED']],
      [someone({ externalIdentities: [linked('first')] })],
      [someone({ externalIdentities: [linked('own'), linked('first')] }), ['externalIdentities', 'IN_USE']],
      [someone({ externalIdentities: [linked('x'), linked('x')] }), ['externalIdentities', 'INVALID_VALUE']],
      [someone({ externalIdentities: linked('x') }), ['externalIdentities', 'INVALID_TYPE']],
      [someone({ externalIdentities: [null, 'Secretname'] }), ['externalIdentities', 'INVALID_TYPE']],
      [someone({ externalIdentities: [{ issuer: '' }] }), ...noName],
      [someone({ address: { country: 'GB', subdivision: 'US-CA' } }), ['address.subdivision', 'INVALID_VALUE']],
    ];
    const tail: typeof cases = [
      // Beyond the border of a batch: the first has it, and who was refused has nothing.
      [someone({ externalIdentities: [linked('first')] }), ['externalIdentities', 'IN_USE']],
      [someone({ externalIdentities: [linked('own')] })],
      [someone({ email: 'First@example.com' }), ['email', 'IN_USE']],
      [someone({ email: 'second@example.com', phone: '+12125550998' }), ['phone', 'IN_USE']],
      [`${JSON.stringify(someone({ email: 'second@example.com', emailVerified: true, locale: null }))}\r`],
      [''],
      ['\r'],
      [someone({ email: 'second@example.com' }), ['email', 'IN_USE']],
    ];
    const all: typeof cases = [...cases, ...filler.map((record): [object] => [record]), ...tail];
    expected = all.flatMap(([, ...errors], index) => (errors.length === 0 ? [] : [refusal(index + 1, ...errors)]));
    const lines = all.map(([line]) =>
      Buffer.isBuffer(line) || typeof line === 'string' ? line : JSON.stringify(line),
    );
    await writeLines(file(), lines);
    await writeFile(file(), (await readFile(file())).subarray(0, -1));
  });

  it('are reported by a dry run, without importing anything', async () => {
    const stored = async () => [
      await count('consumer'),
      await count('audit_event', IMPORTED),
      await count('import_run'),
    ];
    const before = await stored();
    const answer = await app.cli('consumer', 'import', file(), '--dry-run', '--json');
    expect(answer.exitCode).toBe(0);
    expect(JSON.parse(answer.stdout)).toMatchObject({ dryRun: true, imported: 1_204, refused: expected.length });
    const reported = answer.stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(codesOf(reported.map((line) => JSON.parse(line) as Refusal))).toEqual(expected);
    expect(await stored()).toEqual(before);
  });

  it('do not keep the others out, and are reported without personal data', async () => {
    const consumers = await count('consumer');
    const report = path('refusals.report');
    const summary = { lines: 1_204 + expected.length, imported: 1_204, refused: expected.length, already: 0 };
    expect(await importFile(file(), '--report', report)).toMatchObject(summary);
    expect(codesOf(await readLines<Refusal>(report))).toEqual(expected);
    expect(await readFile(report, 'utf8')).not.toMatch(/secretname|@example|\+1/i);
    expect((await stat(report)).mode & 0o777).toBe(0o600);

    expect(await count('consumer')).toBe(consumers + 1_204);
    const imported = `SELECT consumer_id FROM identifier WHERE value = 'second@example.com' AND verified_at IS NOT NULL`;
    const byTheCommand = `type = 'consumer.imported' AND actor = 'cli' AND consumer_id IN (${imported})`;
    expect(await count('audit_event', byTheCommand)).toBe(1);
    expect(JSON.parse((await app.cli('message', 'list', '--to', 'second@example.com', '--json')).stdout)).toEqual([]);
  });
});
