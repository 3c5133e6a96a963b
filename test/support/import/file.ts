import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uuidv7 } from 'uuidv7';

export interface ImportRecord {
  customerId: string;
  [field: string]: unknown;
}

/** A hash of another system; of which password, nobody knows. */
export const FOREIGN_HASH = '$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01232';

/** A record in the form of an export, different for each `index`; some have every field, some only names. */
export function importRecord(index: number): ImportRecord {
  const id = uuidv7();
  const names = { customerId: id, type: 'PERSON', firstName: `Zoë ${index}`, lastName: 'O’Neil \u{1F600}' };
  const times = { createdAt: '2019-02-03T04:05:06.007Z', updatedAt: '2020-02-29T23:59:59.999Z' };
  if (index % 10 === 0) return { ...names, ...times };
  return {
    ...names,
    email: `import.${id}@example.com`,
    ...(index % 2 === 0 && { emailVerifiedAt: '2021-05-06T07:08:09.123Z' }),
    ...(index % 3 === 0 && { phone: `+1202555${String(index).padStart(4, '0').slice(-4)}` }),
    ...(index % 5 === 0 && { birthDate: '1990-12-31', locale: 'pt-BR' }),
    ...(index % 7 === 0 && { address: { line1: '12 St James’s Square', country: 'GB', subdivision: 'GB-ENG' } }),
    ...(index % 4 === 0 && { attributes: { n: index, vip: false, tier: 'gold "plus"', big: 1e21, half: 0.5 } }),
    passwordHash: FOREIGN_HASH,
    ...(index % 11 === 0 && {
      externalIdentities: [
        { issuer: 'https://id.example.com', subject: id, linkedAt: '2020-01-02T03:04:05.006Z' },
        { issuer: 'shop', subject: `${id} "quoted"`, linkedAt: '2021-01-02T03:04:05.006Z' },
      ],
    }),
    ...times,
  };
}

/** Records that do not get into each other's way. */
export const importRecords = (count: number): ImportRecord[] =>
  Array.from({ length: count }, (_, index) => {
    const { phone, ...record } = importRecord(index);
    return index < 10_000 && phone !== undefined ? { ...record, phone } : record;
  });

/** Writes lines, each a record or as it is. */
export async function writeLines(path: string, lines: Iterable<ImportRecord | string | Buffer>): Promise<void> {
  const chunks = function* () {
    for (const line of lines) {
      yield Buffer.isBuffer(line) || typeof line === 'string' ? line : JSON.stringify(line);
      yield '\n';
    }
  };
  await pipeline(Readable.from(chunks()), createWriteStream(path));
}

/** One value a line. */
export async function readLines<T = ImportRecord>(path: string): Promise<T[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
