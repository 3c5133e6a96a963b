import type { TestService, TouchpointOptions } from '../service/test-service';
import type { Answer, ApiClient } from './api-client';
import type { SessionBody } from './consumers';
import type { ProblemBody } from './problems';

/** What an identity provider says of a consumer. */
export const ADA = { given_name: 'Ada', family_name: 'Lovelace' };

export type Identified = Answer<SessionBody & ProblemBody>;

export const identify = (client: ApiClient, assertion: unknown, fields: object = {}): Promise<Identified> =>
  client.post('/api/v1/identify', { assertion, ...fields });

/** Such as `200`, or `409 ASSERTION_REPLAYED`. */
export const outcomeOf = ({ status, body }: Identified): string =>
  status < 300 ? String(status) : `${status} ${body.code}`;

/** A new touchpoint that trusts an issuer. */
export async function trusting(
  app: TestService,
  { url, jwksUri }: { url: string; jwksUri: string },
  { trustEmail, ...settings }: TouchpointOptions & { trustEmail?: boolean } = {},
): Promise<ApiClient> {
  const client = await app.client(settings);
  await app.trust(client, { issuer: url, jwksUri, trustEmail });
  return client;
}
