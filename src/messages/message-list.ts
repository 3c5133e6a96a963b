import { Injectable } from '@nestjs/common';
import { AppConfig } from '../platform/config';
import { mailboxDirectory, type MailboxEntry, readMailbox, timeOf } from './mailbox/mailbox';
import { type Channel, CHANNELS, type MessageKind } from './message';
import { MessageSeal } from './queue/message-seal';
import { MessageRepository, type QueuedMessage } from './queue/message.repository';

/** A message as an administrator sees it. */
export interface ListedMessage {
  id: string;
  kind: MessageKind;
  channel: Channel;
  /** Null if it is damaged, or was sealed with another `APP_SECRET`. */
  to: string | null;
  locale: string | null;
  state: QueuedMessage['state'] | 'delivered';
  attempts: number;
  createdAt: string;
  nextAttemptAt: string | null;
  /** Why the last attempt failed; null: none has. */
  reason: string | null;
  /** Only of what lies in the development mailbox. */
  code: string | null;
}

/** Messages that wait, those that failed, and those in the development mailbox. */
@Injectable()
export class MessageList {
  constructor(
    private readonly messages: MessageRepository,
    private readonly seal: MessageSeal,
    private readonly config: AppConfig,
  ) {}

  /** The oldest first; with `to` only those to this address. */
  async list({ to }: { to?: string | undefined } = {}): Promise<ListedMessage[]> {
    const all = [
      ...(await this.messages.list()).flatMap((message) => this.queuedEntry(message)),
      ...(await this.delivered()),
    ];
    const wanted = to?.trim().toLowerCase();
    return all
      .filter((message) => wanted === undefined || message.to?.toLowerCase() === wanted)
      .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  /** Nothing of a decoy, which goes to nobody. */
  private queuedEntry({ state, attempts, reason, createdAt, dueAt, ...stored }: QueuedMessage): ListedMessage[] {
    const { id, kind, channel } = stored;
    const message = this.seal.open(id, stored);
    if (message?.isDecoy) return [];
    const entry = {
      ...{ id, kind, channel },
      to: message?.to ?? null,
      locale: message?.locale ?? null,
      state,
      attempts,
      reason,
      createdAt: createdAt.toISOString(),
      nextAttemptAt: state === 'sending' ? null : (dueAt?.toISOString() ?? null),
      code: null,
    };
    return [entry];
  }

  private async delivered(): Promise<ListedMessage[]> {
    const { smtp, smsGateway } = this.config;
    const channels = CHANNELS.filter((channel) => (channel === 'email' ? !smtp : !smsGateway));
    return (await readMailbox(mailboxDirectory(this.config), channels)).map(deliveredEntry);
  }
}

const deliveredEntry = ({ code, ...message }: MailboxEntry): ListedMessage => ({
  ...message,
  state: 'delivered',
  attempts: 1,
  createdAt: new Date(timeOf(message.id)).toISOString(),
  nextAttemptAt: null,
  reason: null,
  code,
});
