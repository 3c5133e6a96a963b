import type { TestService } from '../service/test-service';
import { codeSentTo } from '../messages/mailbox';
import type { ApiClient } from './api-client';
import { register } from './consumers';
import type { ProblemBody } from './problems';

export type Profile = Record<string, unknown> & ProblemBody;

const ME = '/api/v1/me';

/** A new consumer, who reads and changes their own profile. */
export type ProfileOwner = Awaited<ReturnType<typeof newProfileOwner>>;

export async function newProfileOwner(client: ApiClient, fields: Record<string, unknown> = {}) {
  const consumer = await register(client, fields);
  const me = client.as(consumer.token);
  return {
    ...consumer,
    me,
    read: async () => (await me.get<Profile>(ME)).body,
    tag: async () => (await me.get(ME)).headers.get('ETag') ?? '',
    patch: (body: unknown, headers: Record<string, string> = {}) => me.patch<Profile>(ME, body, headers),
  };
}

/** Has a consumer prove one of their addresses by the code that is sent there. */
export async function verifyAddress(app: TestService, owner: ProfileOwner, field: 'email' | 'phone'): Promise<void> {
  const address = String((await owner.read())[field]);
  const path = `/api/v1/verifications/${field === 'email' ? 'email' : 'sms'}`;
  await owner.me.post(`${path}/request`);
  const { status, body } = await owner.me.post(`${path}/confirm`, { code: await codeSentTo(app, address) });
  if (status !== 200) throw new Error(`${path}/confirm answered ${status} ${JSON.stringify(body)}`);
}
