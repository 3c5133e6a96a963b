import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Channel, CHANNELS, type MessageKind } from './message';
import type { Addressee } from './addressee';
import { channelOf, hasQueues, queueOf, type QueuedMessage } from './queue/message-queue';
import { MessageSeal } from './queue/message-seal';

/** A message that has not left, or was given up. */
export interface AddressedMessage {
  id: string;
  kind: MessageKind;
  channel: Channel;
  createdAt: string;
}

export interface RemovedMessages {
  removed: number;
  /** Of those: how many a service was just handing over, so that they may still arrive. */
  inDelivery: number;
  /** Messages that stay, damaged or sealed with an unknown `APP_SECRET`: nobody can tell whose they are. */
  unreadable: number;
}

interface QueueRow {
  id: string;
  name: string;
  data: QueuedMessage;
  createdOn: Date;
}

/** pg-boss moves messages from the first to the second: read in this order none is missed. */
const TABLES = ['pgboss.job', 'pgboss.archive'] as const;
const PAGE_ROWS = 500;

/** Finds the messages of a consumer, for which every one that waits must be opened: a page at a time. */
@Injectable()
export class AddressedMessages {
  constructor(private readonly seal: MessageSeal) {}

  async list(manager: EntityManager, addressee: Addressee): Promise<AddressedMessage[]> {
    const found: AddressedMessage[] = [];
    for (const table of TABLES) {
      for await (const rows of pages(manager, table)) {
        const addressed = rows.filter((row) => this.isFor(addressee, row) === true);
        found.push(...addressed.map(entryOf));
      }
    }
    return found;
  }

  async remove(manager: EntityManager, addressee: Addressee): Promise<RemovedMessages> {
    const result = { removed: 0, inDelivery: 0, unreadable: 0 };
    for (const table of TABLES) {
      for await (const rows of pages(manager, table)) {
        const judged = rows.map((row) => ({ row, isFor: this.isFor(addressee, row) }));
        result.unreadable += judged.filter(({ isFor }) => isFor === null).length;
        const ids = judged.filter(({ isFor }) => isFor === true).map(({ row }) => row.id);
        if (ids.length === 0) continue;
        const [deleted] = await manager.query<[{ state: string }[], number]>(
          `DELETE FROM ${table} WHERE name = ANY($1) AND id = ANY($2) RETURNING state`,
          [QUEUES, ids],
        );
        result.removed += deleted.length;
        result.inDelivery += deleted.filter(({ state }) => state === 'active').length;
      }
    }
    return result;
  }

  /** Null when nobody can tell. */
  private isFor({ consumerId, addresses }: Addressee, { id, data }: QueueRow): boolean | null {
    const message = this.seal.open(id, data);
    return message && (message.consumerId === consumerId || addresses.includes(message.to));
  }
}

const QUEUES = CHANNELS.map(queueOf);

async function* pages(manager: EntityManager, table: (typeof TABLES)[number]): AsyncGenerator<QueueRow[]> {
  if (!(await hasQueues(manager))) return;
  let last: [name: string, id: string] = ['', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const rows = await manager.query<QueueRow[]>(
      `SELECT id, name, data, created_on AS "createdOn" FROM ${table}
       WHERE name = ANY($1) AND (name, id) > ($2, $3) ORDER BY name, id LIMIT ${PAGE_ROWS}`,
      [QUEUES, ...last],
    );
    yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < PAGE_ROWS) return;
    last = [end.name, end.id];
  }
}

const entryOf = ({ id, name, data, createdOn }: QueueRow): AddressedMessage => ({
  id,
  kind: data.kind,
  channel: channelOf(name),
  createdAt: createdOn.toISOString(),
});
