import { randomInt, randomUUID } from 'node:crypto';
import type { Answer, ApiClient } from './api-client';

export interface SessionBody {
  customerId: string;
  token: string;
}

export const PASSWORD = 'correct horse battery staple';

/** Processes share a database, and each counts for itself. */
const PROCESS = randomUUID().slice(0, 8);
let count = 0;

/** A phone number that no other consumer has. */
export const newPhone = (): string => `+1202${randomInt(2_000_000, 9_999_999)}`;

/** The same number as people write it. */
export const spacedPhone = (phone: string): string => phone.replace(/^(\+1)(\d{3})(\d{3})/, '$1 ($2) $3-');

/** A registration that no other consumer's identifiers are in the way of. */
export function newPerson(fields: Record<string, unknown> = {}) {
  count += 1;
  return {
    type: 'PERSON',
    firstName: 'Ada',
    lastName: 'Lovelace',
    password: PASSWORD,
    email: `ada.${PROCESS}.${count}@example.com`,
    ...fields,
  };
}

/** The body of an answer that must have this status. */
export function expectStatus<T>(status: number, answer: Answer<T>): T {
  if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Registers a consumer, who must be accepted. */
export async function register(
  client: ApiClient,
  fields: Record<string, unknown> = {},
): Promise<SessionBody & { email: string }> {
  const person = newPerson(fields);
  const session = expectStatus(201, await client.post<SessionBody>('/api/v1/register', person));
  return { ...session, email: person.email };
}
