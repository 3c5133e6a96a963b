import { setTimeout as sleep } from 'node:timers/promises';
import { MessageList } from '../../src/platform/messages/message-list';
import type { MessageKind } from '../../src/platform/messages/message';
import type { TestApp } from './test-app';

const DEADLINE_MS = 15_000;

/** Waits until the development mailbox holds `count` messages of a kind for an address, and returns their codes. */
export async function delivered(
  app: TestApp,
  to: string,
  kind: MessageKind = 'verification-code',
  count = 1,
): Promise<(string | null)[]> {
  for (let waited = 0; waited < DEADLINE_MS; waited += 50) {
    const all = await app.nest.get(MessageList).list({ to });
    const found = all.filter((message) => message.state === 'delivered' && message.kind === kind);
    if (found.length >= count) return found.map(({ code }) => code);
    await sleep(50);
  }
  throw new Error(`There are no ${count} messages ${kind} in the mailbox`);
}

/** The newest code that was sent to an address, which has been sent `count` of them. */
export async function codeSentTo(app: TestApp, to: string, count = 1): Promise<string> {
  const code = (await delivered(app, to, 'verification-code', count)).at(-1);
  if (code === null || code === undefined) throw new Error('The message holds no code');
  return code;
}

/** Six digits that are not the code. */
export const wrongCode = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
