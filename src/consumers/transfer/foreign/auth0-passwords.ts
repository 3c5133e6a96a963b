import { createHash } from 'node:crypto';
import { parseStrictJson } from '../../../platform/http/body/strict-json';
import { ImportFile } from '../import/import-file';
import { lineRecords } from '../import/line-records';
import { TransferError } from '../transfer-error';
import { auth0IdOf, passwordHash } from './auth0';
import { MAX_RECORD_BYTES } from './json-records';
import { Members } from './members';

/** The password hashes that Auth0's support exports, by the ids of their users, and what they are known by. */
export interface Auth0Passwords {
  hashes: ReadonlyMap<string, string>;
  sha256: string;
}

/** All of them: the other file has the users in another order. */
export async function readAuth0Passwords(path: string): Promise<Auth0Passwords> {
  const file = await ImportFile.open(path);
  const hashes = new Map<string, string>();
  const digest = createHash('sha256');
  try {
    for await (const { content, end } of lineRecords(file, { bytes: 0, lines: 0 }, MAX_RECORD_BYTES)) {
      const [id, hash] = Array.isArray(content) ? [] : passwordIn(content);
      if (typeof id !== 'string')
        throw new TransferError(`${path}: line ${end.lines} is no user of an export of hashes`);
      if (typeof hash === 'string') hashes.set(id, hash);
      digest.update(`${id} ${String(hash)}\n`);
    }
  } finally {
    await file.close();
  }
  return { hashes, sha256: digest.digest('hex') };
}

function passwordIn(line: Buffer): unknown[] {
  try {
    const user = new Members(parseStrictJson(line));
    return [auth0IdOf(user), passwordHash(user)];
  } catch {
    return [];
  }
}
