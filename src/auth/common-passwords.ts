import { readFileSync } from 'node:fs';
import { join } from 'node:path';

let commonPasswords: Set<string> | undefined;

/** Whether many people use this password, ignoring case (NIST SP 800-63B-4 section 3.1.1.2); the list has none under 8 characters. */
export function isCommonPassword(password: string): boolean {
  commonPasswords ??= new Set(readFileSync(join(__dirname, 'common-passwords.txt'), 'utf8').trimEnd().split('\n'));
  return commonPasswords.has(password.normalize('NFKC').toLowerCase());
}
