import { readFile } from 'node:fs/promises';
import { fileError, TransferError } from '../transfer-error';
import type { FirebaseParameters } from './hash-texts';

/** The password hash parameters of a project, as the Firebase console shows them, or as JSON. */
export async function readFirebaseParameters(path: string): Promise<FirebaseParameters> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileError(path, error);
  });
  const valueOf = (names: string, form: string): string => {
    const [, value] = new RegExp(String.raw`\b(?:${names})["']?\s*[:=]\s*["']?(${form})(?![\w+/=])`).exec(text) ?? [];
    if (value === undefined) throw new TransferError(`${path}: ${names.split('|', 1)[0] ?? ''} is missing or wrong`);
    return value;
  };
  return {
    signerKey: valueOf('base64_signer_key|signerKey', '[A-Za-z0-9+/]+={0,2}'),
    saltSeparator: valueOf('base64_salt_separator|saltSeparator', '[A-Za-z0-9+/]+={0,2}'),
    rounds: valueOf('rounds', '[0-9]+'),
    memCost: valueOf('mem_cost|memoryCost', '[0-9]+'),
  };
}
