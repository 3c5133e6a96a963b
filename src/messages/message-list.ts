import { Injectable } from '@nestjs/common';
import { AppConfig } from '../platform/settings/config';
import { mailboxDirectory, type MailboxEntry, readMailbox, timeOf } from './mailbox/mailbox';
import { type Channel, CHANNELS, type MessageKind } from './message';
import { MessageSeal } from './queue/message-seal';
import { MessageRepository, type QueuedMessage, type WaitingOfChannel } from './queue/message.repository';

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
  /** Why the last attempt failed; null if none failed. */
  reason: string | null;
  /** Only of messages in the development mailbox. */
  code: string | null;
}

export interface MessagePage {
  messages: ListedMessage[];
  /** Null: this is the last page. */
  next: string | null;
}

export interface MessageQueueState {
  /** A channel without waiting messages is left out. */
  waiting: WaitingOfChannel[];
  /** Of those that wait. */
  retried: number;
  givenUp: { count: number; isMore: boolean };
}

/** Further ones are not counted. */
const COUNTED_GIVEN_UP = 1_000;

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

  /** Those that have not been handed over, the oldest first, and after which one the next page begins. */
  async page({ after, limit }: { after: string | undefined; limit: number }): Promise<MessagePage> {
    const found = await this.messages.page(after, limit + 1);
    const rows = found.slice(0, limit);
    return {
      messages: rows.flatMap((message) => this.queuedEntry(message)),
      next: found.length > limit ? (rows.at(-1)?.id ?? null) : null,
    };
  }

  async queueState(): Promise<MessageQueueState> {
    const { retried, givenUp } = await this.messages.countTroubled(COUNTED_GIVEN_UP + 1);
    return {
      waiting: await this.messages.countWaiting(),
      retried,
      givenUp: { count: Math.min(givenUp, COUNTED_GIVEN_UP), isMore: givenUp > COUNTED_GIVEN_UP },
    };
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
