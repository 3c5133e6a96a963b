import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AppConfig } from '../platform/config';
import { mailboxDirectory, type MailboxEntry, readMailbox, timeOf } from './mailbox/mailbox';
import { type Channel, CHANNELS, type MessageKind } from './message';
import { channelOf, hasQueues, queueOf, type QueuedMessage } from './queue/message-queue';
import { MessageSeal } from './queue/message-seal';

const STATES = {
  created: 'queued',
  retry: 'retrying',
  active: 'sending',
  failed: 'failed',
  cancelled: 'expired',
} as const;

/** A message as an administrator sees it. */
export interface ListedMessage {
  id: string;
  kind: MessageKind;
  channel: Channel;
  /** Null when it is damaged, or was sealed with another `APP_SECRET`. */
  to: string | null;
  locale: string | null;
  state: (typeof STATES)[keyof typeof STATES] | 'delivered';
  attempts: number;
  createdAt: string;
  nextAttemptAt: string | null;
  /** Only of what lies in the development mailbox. */
  code: string | null;
}

interface QueueRow {
  id: string;
  name: string;
  data: QueuedMessage;
  state: keyof typeof STATES;
  attempts: number;
  createdOn: Date;
  startAfter: Date;
}

/** What has not been handed over yet, what was given up, and what lies in the development mailbox. */
@Injectable()
export class MessageList {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly seal: MessageSeal,
    private readonly config: AppConfig,
  ) {}

  /** The oldest first; with `to` only those to this address. */
  async list({ to }: { to?: string | undefined } = {}): Promise<ListedMessage[]> {
    const all = [...(await this.queued()), ...(await this.delivered())];
    const wanted = to?.trim().toLowerCase();
    return all
      .filter((message) => wanted === undefined || message.to?.toLowerCase() === wanted)
      .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  private async queued(): Promise<ListedMessage[]> {
    if (!(await hasQueues(this.dataSource.manager))) return [];
    const rows = await this.dataSource.query<QueueRow[]>(
      `SELECT id, name, data, state, CASE WHEN started_on IS NULL THEN 0 ELSE retry_count + 1 END AS attempts,
         created_on AS "createdOn", start_after AS "startAfter"
       FROM pgboss.job WHERE name = ANY($1) AND state = ANY($2::pgboss.job_state[])`,
      [CHANNELS.map(queueOf), Object.keys(STATES)],
    );
    return rows.map((row) => this.queuedEntry(row));
  }

  private queuedEntry({ id, name, data, state, attempts, createdOn, startAfter }: QueueRow): ListedMessage {
    const message = this.seal.open(id, data);
    return {
      id,
      kind: data.kind,
      channel: channelOf(name),
      to: message?.to ?? null,
      locale: message?.locale ?? null,
      state: STATES[state],
      attempts,
      createdAt: createdOn.toISOString(),
      nextAttemptAt: state === 'created' || state === 'retry' ? startAfter.toISOString() : null,
      code: null,
    };
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
  code,
});
