import type { Answer, ApiClient } from './api-client';

export interface SessionBody {
  customerId: string;
  token: string;
}

export const PASSWORD = 'correct horse battery staple';

let count = 0;

/** A registration that no other consumer's identifiers are in the way of. */
export function newPerson(fields: Record<string, unknown> = {}) {
  count += 1;
  return {
    type: 'PERSON',
    firstName: 'Ada',
    lastName: 'Lovelace',
    password: PASSWORD,
    email: `ada.${process.pid}.${count}@example.com`,
    ...fields,
  };
}

/** Registers a consumer, who must be accepted. */
export async function register(
  client: ApiClient,
  fields: Record<string, unknown> = {},
): Promise<SessionBody & { email: string }> {
  const person = newPerson(fields);
  const answer: Answer<SessionBody> = await client.post('/api/v1/register', person);
  if (answer.status !== 201) throw new Error(`register answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return { ...answer.body, email: person.email };
}
