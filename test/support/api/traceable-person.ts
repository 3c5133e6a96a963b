import { randomBytes } from 'node:crypto';
import type { ApiClient } from './api-client';
import { newPerson, newPhone, PASSWORD } from './consumers';

/** Names and addresses that nobody else has, and nothing else contains. */
export function traceablePerson() {
  const unique = () => `zq${randomBytes(8).toString('hex')}`;
  const email = `${unique()}@${unique()}.example`;
  return { ...newPerson({ firstName: unique(), lastName: unique() }), email, phone: newPhone() };
}

export const logIn = (client: ApiClient, identifier: string) =>
  client.post<{ token: string }>('/api/v1/login', { identifier, password: PASSWORD });

/** A session as commands list it. */
export interface ListedSession {
  sessionId: string;
  touchpoint: string;
  endedAt: string | null;
  isLive: boolean;
}
