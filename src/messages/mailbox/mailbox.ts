import { readdir, readFile, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { AppConfig } from '../../platform/settings/config';
import type { Addressee, Channel, MessageKind } from '../message';
import { withoutDigits } from '../transports/mail';

/** A message that the development mailbox holds. */
export interface MailboxEntry {
  id: string;
  kind: MessageKind;
  channel: Channel;
  to: string;
  locale: string | null;
  code: string | null;
}

/** The directory of the development mailbox. */
export const mailboxDirectory = ({ dataDir }: AppConfig): string => join(dataDir, 'mailbox');

/** Codes have six digits, or eight. */
const CODE = '[0-9]{6}(?:[0-9]{2})?';
const CODE_LINE = new RegExp(`^${CODE}$`, 'm');
const CODE_WORD = new RegExp(CODE);

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

/** Deletes every file, finished or not, that names a consumer or one of the addresses; answers how many those were. */
export async function removeFromMailbox(directory: string, addressees: Addressee[]): Promise<number> {
  const names = addressees.flatMap(({ consumerId, addresses }) => [
    consumerId,
    withoutDigits(consumerId),
    ...addresses,
  ]);
  let removed = 0;
  for (const entry of await readdir(directory).catch(whereMissing([]))) {
    const file = join(directory, entry);
    const words = new Set((await readFile(file, 'utf8').catch(whereMissing(''))).split(/[\s"<>,;:()]+/));
    if (!names.some((name) => words.has(name))) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

/**
 * Deletes every file, finished or not, of a message made before this time, in milliseconds since the epoch. If one
 * cannot be deleted, the others still are, and the error is thrown at the end.
 */
export async function removeOldFromMailbox(directory: string, before: number): Promise<void> {
  const old = (await readdir(directory).catch(whereMissing([]))).filter((file) => timeOf(file) < before);
  const outcomes = await Promise.allSettled(old.map((file) => rm(join(directory, file), { force: true })));
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (failed.length > 0) throw new Error(`${failed.length} old files stay in the mailbox`, { cause: failed[0] });
}

/** The first 48 bits of a UUIDv7 are milliseconds since the epoch (RFC 9562, section 5.7). */
export const timeOf = (id: string): number => parseInt(id.replaceAll('-', '').slice(0, 12), 16);

const whereMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead;
    throw error;
  };

function readMail(name: string, content: string): MailboxEntry {
  const end = content.indexOf('\n\n');
  // RFC 5322: a header field continues in lines that begin with white space.
  const headers = content.slice(0, end).replace(/\n[ \t]+/g, ' ');
  const header = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(headers)?.[1] ?? null;
  return {
    id: name.slice(0, -'.eml'.length),
    kind: header('X-Message-Kind') as MessageKind,
    channel: 'email',
    to: header('To') ?? '',
    locale: header('X-Message-Locale'),
    code: CODE_LINE.exec(content.slice(end))?.[0] ?? null,
  };
}

function readSms(content: string): MailboxEntry {
  const { id, kind, to, locale, text } = JSON.parse(content) as MailboxEntry & { text: string };
  return { id, kind, channel: 'sms', to, locale, code: CODE_WORD.exec(text)?.[0] ?? null };
}
