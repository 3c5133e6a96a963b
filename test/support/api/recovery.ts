import { codeSentTo } from '../messages/mailbox';
import type { TestService } from '../service/test-service';
import type { Answer, ApiClient } from './api-client';
import { expectStatus, PASSWORD, register, type SessionBody } from './consumers';
import type { ProblemBody } from './problems';

export const FORGOT = '/api/v1/password/forgot';
export const RESET = '/api/v1/password/reset';

export const NEW_PASSWORD = 'hold fast to the analytical engine';

/** What a test reads of a recovery that has begun. */
export interface Started {
  recoveryId: string;
  channel: string;
  destination: string;
  expiresAt: string;
  resendAfter: string;
}

export const forgot = (client: ApiClient, identifier: string): Promise<Answer<Started & Partial<ProblemBody>>> =>
  client.post(FORGOT, { identifier });

/** The id of a recovery that must begin. */
export const begin = async (client: ApiClient, identifier: string): Promise<string> =>
  expectStatus(202, await forgot(client, identifier)).recoveryId;

export const reset = (
  client: ApiClient,
  recoveryId: string,
  code: string,
  newPassword = NEW_PASSWORD,
): Promise<Answer<ProblemBody>> => client.post(RESET, { recoveryId, code, newPassword });

/** The newest of so many codes that an address has been sent. */
export const recoveryCode = (app: Pick<TestService, 'env'>, to: string, count = 1): Promise<string> =>
  codeSentTo(app, to, count, 'recovery-code');

/** Has a consumer choose a new password by the code that is sent to the address. */
export async function recover(app: TestService, client: ApiClient, address: string, count = 1): Promise<void> {
  const recoveryId = await begin(client, address);
  expectStatus(204, await reset(client, recoveryId, await recoveryCode(app, address, count)));
}

export const login = (
  client: ApiClient,
  identifier: string,
  password: string,
): Promise<Answer<SessionBody & ProblemBody>> => client.post('/api/v1/login', { identifier, password });

/** The status of an answer, or the code of a problem. */
export const outcomeOf = ({ status, body }: Answer<Partial<ProblemBody>>): string => body.code ?? String(status);

/** How often each outcome came. */
export function tally(answers: Answer<Partial<ProblemBody>>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** A new consumer whose e-mail address is proven. */
export async function newVerified(
  app: TestService,
  client: ApiClient,
  fields: Record<string, unknown> = {},
): Promise<SessionBody & { email: string }> {
  const consumer = await register(client, { password: PASSWORD, ...fields });
  await prove(app, client.as(consumer.token), 'email', consumer.email);
  return consumer;
}

/** Has a consumer prove an address by the code that is sent there. */
export async function prove(app: TestService, me: ApiClient, channel: 'email' | 'sms', address: string): Promise<void> {
  expectStatus(202, await me.post(`/api/v1/verifications/${channel}/request`));
  const code = await codeSentTo(app, address);
  expectStatus(200, await me.post(`/api/v1/verifications/${channel}/confirm`, { code }));
}
