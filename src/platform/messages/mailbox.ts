import { readdir, readFile, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Channel, MessageKind } from './message';

/** A message that the development mailbox holds. */
export interface MailboxEntry {
  id: string;
  kind: MessageKind;
  channel: Channel;
  to: string;
  locale: string | null;
  code: string | null;
}

const CHANNEL_OF: Record<string, Channel> = { '.eml': 'email', '.json': 'sms' };

/** Everything that the mailbox holds for these channels, the oldest first. */
export async function readMailbox(directory: string, channels: Channel[]): Promise<MailboxEntry[]> {
  const names = await readdir(directory).catch(whereMissing([]));
  const entries = names.toSorted().map(async (name) => {
    const channel = CHANNEL_OF[extname(name)];
    if (!channel || !channels.includes(channel)) return [];
    const content = await readFile(join(directory, name), 'utf8');
    return [channel === 'email' ? readMail(name, content) : readSms(content)];
  });
  return (await Promise.all(entries)).flat();
}

/** Deletes every file, finished or not, that names one of these addresses; answers how many those were. */
export async function removeFromMailbox(directory: string, addresses: string[]): Promise<number> {
  let removed = 0;
  for (const name of await readdir(directory).catch(whereMissing([]))) {
    const file = join(directory, name);
    const words = new Set((await readFile(file, 'utf8').catch(whereMissing(''))).split(/[\s"<>,;:()]+/));
    if (!addresses.some((address) => words.has(address))) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

const whereMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead;
    throw error;
  };

function readMail(name: string, content: string): MailboxEntry {
  const end = content.indexOf('\n\n');
  // RFC 5322: a header field goes on in lines that begin with white space.
  const headers = content.slice(0, end).replace(/\n[ \t]+/g, ' ');
  const header = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(headers)?.[1] ?? null;
  return {
    id: name.slice(0, -'.eml'.length),
    kind: header('X-Message-Kind') as MessageKind,
    channel: 'email',
    to: header('To') ?? '',
    locale: header('X-Message-Locale'),
    code: /^[0-9]{6}$/m.exec(content.slice(end))?.[0] ?? null,
  };
}

function readSms(content: string): MailboxEntry {
  const { text, ...message } = JSON.parse(content) as Omit<MailboxEntry, 'channel' | 'code'> & { text: string };
  return { ...message, channel: 'sms', code: /[0-9]{6}/.exec(text)?.[0] ?? null };
}
