import { randomUUID } from 'node:crypto';
import type { Answer, ApiClient } from './api-client';
import type { SessionBody } from './consumers';
import type { ProblemBody } from './problems';

/** What a test reads of an answer to a request that may be repeated. */
export interface KeyedBody extends SessionBody, Partial<ProblemBody> {
  registrationId: string;
}

export const newKey = (): string => `key-${randomUUID()}`;

export const sendKeyed = (
  client: ApiClient,
  key: string,
  body: unknown,
  path = '/api/v1/register',
): Promise<Answer<KeyedBody>> => client.with({ 'Idempotency-Key': key }).post<KeyedBody>(path, body);

export const isReplay = ({ headers }: Answer<KeyedBody>): boolean => headers.get('Idempotency-Replayed') === 'true';

/** Status, or code of an error, and whose it is. */
export const outcomeOf = (answer: Answer<KeyedBody>): unknown[] => [
  answer.body.code ?? answer.status,
  answer.body.customerId,
  isReplay(answer) ? 'replayed' : 'first',
];
