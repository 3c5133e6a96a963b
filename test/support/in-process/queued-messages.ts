import type { Message } from '../../../src/messages/message';
import { MessageList } from '../../../src/messages/message-list';
import { Messages } from '../../../src/messages/messages.service';
import { RetryPolicy } from '../../../src/messages/queue/retry-policy';
import type { TestApp } from './test-app';

export const CODE = '048213';
export const GATEWAY_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const SOON_SECONDS = 0.2;

type CodeMessage = Extract<Message, { kind: 'verification-code' }>;

/** A message with a code, by SMS to what looks like a phone number. */
export const codeFor = (to: string, fields: Partial<CodeMessage> = {}): CodeMessage => ({
  kind: 'verification-code',
  channel: to.startsWith('+') ? 'sms' : 'email',
  to,
  locale: null,
  code: CODE,
  expiresInMinutes: 10,
  ...fields,
});

/** Hands messages over as one transaction does that is committed. */
export const enqueue = (app: TestApp, ...messages: Message[]): Promise<void> =>
  app.dataSource.transaction(async (manager) => {
    for (const message of messages) await app.nest.get(Messages).enqueue(manager, message);
  });

/** What an administrator sees of the messages, or of those to one address. */
export const listed = (app: TestApp, to?: string) => app.nest.get(MessageList).list({ to });

/** Whether every message has arrived or has failed. */
export const isEmpty = (app: TestApp) => async (): Promise<boolean> =>
  (await listed(app)).every(({ state }) => state === 'delivered' || state === 'failed');

/** Everything that stands in the queue, as somebody sees it who has only the database. */
export async function queueText(app: TestApp): Promise<string> {
  return JSON.stringify(await app.dataSource.query<object[]>('SELECT * FROM message'));
}

/** Lets the policy decide whether a message is tried again, but not keep the test waiting. */
export function retrySoon(app: TestApp): void {
  const policy = app.nest.get(RetryPolicy);
  const next = policy.nextDelaySeconds.bind(policy);
  jest.spyOn(policy, 'nextDelaySeconds').mockImplementation((failed) => (next(failed) === null ? null : SOON_SECONDS));
}
