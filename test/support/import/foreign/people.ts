import { randomUUID } from 'node:crypto';

/** A user of another system, as a test knows them. */
export interface Person {
  /** From 0. */
  index: number;
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  password: string;
}

/** How many consumers a file brings whose logins are all tried; `npm run test:importers` asks for a thousand. */
export const MANY = Number(process.env.FOREIGN_CONSUMERS ?? '100');

const FIRST_NAMES = ['Zoë', 'Ada', '明', 'Renée', 'Søren', 'Dvořák 🎻'];

/** More would be hashed for minutes; neighbours have different ones. */
const PASSWORDS = 30;

/** People whose addresses nobody else has; some names and passwords are not ASCII. */
export function people(count: number): Person[] {
  const tag = randomUUID().slice(0, 8);
  return Array.from({ length: count }, (_, index) => ({
    index,
    id: randomUUID(),
    email: `${tag}.${index}@example.com`,
    firstName: FIRST_NAMES[index % FIRST_NAMES.length] ?? '',
    lastName: `O’Neil-${index}`,
    password: index % 3 === 0 ? `pässwörd ${tag} ${index % PASSWORDS} 🔑` : `old password ${tag} ${index % PASSWORDS}`,
  }));
}
