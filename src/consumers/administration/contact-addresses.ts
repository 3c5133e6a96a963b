import type { EntityManager } from 'typeorm';
import type { IdentifierKind } from '../../auth/identifiers/identifier.entity';
import type { Channel } from '../../messages/message';
import { CHANNEL_OF } from '../../verification/channel';

/** Where a consumer is written to. */
export interface ContactAddress {
  channel: Channel;
  /** Canonical. */
  address: string;
}

/** What the consumer has, claimed or pending included, less what another consumer has proven: that is the other's. */
export async function contactAddressesOf(manager: EntityManager, consumerId: string): Promise<ContactAddress[]> {
  const rows = await manager.query<{ kind: IdentifierKind; value: string }[]>(
    `SELECT DISTINCT kind, value FROM identifier own WHERE consumer_id = $1 AND NOT EXISTS (
       SELECT 1 FROM identifier other WHERE other.value = own.value AND other.kind = own.kind
         AND NOT other.pending AND other.verified_at IS NOT NULL AND other.consumer_id <> $1)
     ORDER BY kind, value`,
    [consumerId],
  );
  return rows.map(({ kind, value }) => ({ channel: CHANNEL_OF[kind], address: value }));
}
