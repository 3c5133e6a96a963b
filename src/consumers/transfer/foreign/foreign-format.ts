import type { FoundRecord, Position } from '../found-record';
import type { ImportFile } from '../import/import-file';
import type { ImportFormat } from '../import/import-format';
import { lineRecords } from '../import/line-records';
import { TransferError } from '../transfer-error';
import { auth0Users } from './auth0';
import { readAuth0Passwords } from './auth0-passwords';
import { describeRow } from './csv';
import { csvRecords } from './csv-records';
import { FIREBASE_COLUMNS, firebaseUsers } from './firebase';
import { readFirebaseParameters } from './firebase-parameters';
import type { DescribeUser } from './foreign-user';
import { jsonRecords, MAX_RECORD_BYTES } from './json-records';
import { describeKeycloakUser } from './keycloak';
import { describeKratosIdentity } from './kratos';
import { describeSupabaseUser } from './supabase';
import { type TranslationOptions, translatorOf } from './translation';

/** Whose exports can be imported; the last one is a table of any origin. */
type ForeignSystem = 'keycloak' | 'auth0' | 'firebase' | 'supabase' | 'kratos' | 'csv';

/** How an administrator wants a foreign file to be read. */
export interface ForeignOptions extends TranslationOptions {
  from: ForeignSystem;
  /** Further files. */
  firebaseParameters: string | null;
  auth0Passwords: string | null;
}

/** The format of a foreign file, after the files beside it have been read. */
export async function foreignFormat(options: ForeignOptions, now: Date): Promise<ImportFormat> {
  const { from, map, issuers, formerIssuer, missingName } = options;
  const parameters =
    options.firebaseParameters === null ? null : await readFirebaseParameters(options.firebaseParameters);
  const passwords = options.auth0Passwords === null ? null : await readAuth0Passwords(options.auth0Passwords);
  const describe: Record<ForeignSystem, DescribeUser> = {
    keycloak: describeKeycloakUser,
    auth0: auth0Users(passwords?.hashes ?? new Map()),
    firebase: firebaseUsers(parameters),
    supabase: describeSupabaseUser,
    kratos: describeKratosIdentity,
    csv: describeRow,
  };
  const settings = [from, map, [...issuers], formerIssuer, missingName, parameters, passwords?.sha256];
  return {
    identity: JSON.stringify(settings),
    records: (file, position) => recordsAfter(file, from, position),
    translate: translatorOf(describe[from], options, now),
  };
}

/** From the start, because what follows cannot be understood without it. */
async function* recordsAfter(file: ImportFile, from: ForeignSystem, { bytes }: Position): AsyncGenerator<FoundRecord> {
  let isEmpty = true;
  for await (const record of recordsOf(file, from, await firstByte(file))) {
    isEmpty = false;
    if (record.end.bytes > bytes) yield record;
  }
  if (isEmpty) throw new TransferError(`${file.path}: there are no users in it that --from ${from} finds`);
}

function recordsOf(file: ImportFile, from: ForeignSystem, first: string): AsyncIterable<FoundRecord> {
  const isJson = first === '{' || first === '[';
  if (from === 'keycloak' || (from === 'firebase' && isJson))
    return jsonRecords(file, { list: 'member', name: 'users' });
  if (from === 'csv' || ((from === 'firebase' || from === 'supabase') && !isJson)) {
    return csvRecords(file, from === 'firebase' ? FIREBASE_COLUMNS : null);
  }
  return first === '['
    ? jsonRecords(file, { list: 'outermost' })
    : lineRecords(file, { bytes: 0, lines: 0 }, MAX_RECORD_BYTES);
}

/** Of the text, after white space. */
async function firstByte(file: ImportFile): Promise<string> {
  for await (const chunk of file.chunks(0)) return chunk.toString().trimStart().charAt(0);
  return '';
}
