import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { deleteInBatches } from '../../platform/database/batches';
import { run } from '../../platform/database/statement';
import { newId } from '../../platform/random';
import { CONSUMER, IS_ENABLED } from '../../profiles/consumer.repository';
import { Identifier, type IdentifierKind } from './identifier.entity';

/** An identifier without its consumer; `value` is canonical. */
export interface IdentifierName {
  kind: IdentifierKind;
  value: string;
}

/** An identifier of an imported consumer. */
export interface ImportedIdentifier extends IdentifierName {
  consumerId: string;
  verifiedAt: Date | null;
}

/** Selects the `consumer_id` of the consumer who has the identifier, claimed or verified. */
export const holderOf = (kind: string, value: string): Sql =>
  sql`SELECT consumer_id FROM identifier WHERE value = ${value} AND kind = ${kind} AND NOT pending`;

/**
 * Selects whose account can be recovered by a code sent to the identifier: `consumer_id`, `identifier_id`, `claimed`,
 * `locale`. That is who has proven it, or who only claims it and has proven nothing else, unless the consumer is disabled.
 * The locks keep both rows.
 */
export const recoverableBy = ({ kind, value }: IdentifierName): Sql =>
  sql`SELECT c.id AS consumer_id, i.id AS identifier_id, i.verified_at IS NULL AS claimed, c.locale
    FROM identifier i JOIN ${CONSUMER} ON c.id = i.consumer_id
    WHERE i.value = ${value} AND i.kind = ${kind} AND NOT i.pending AND ${IS_ENABLED}
      AND (i.verified_at IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM identifier proven WHERE proven.consumer_id = c.id AND proven.verified_at IS NOT NULL))
    FOR KEY SHARE OF c, i`;

/** For a statement that also has `IDENTIFIER_JOINS`: what a consumer sees of their own identifiers. */
export const IDENTIFIER_COLUMNS = sql`
  e.value AS email, e.verified_at IS NOT NULL AS "emailVerified", pe.value AS "pendingEmail",
  p.value AS phone, p.verified_at IS NOT NULL AS "phoneVerified", pp.value AS "pendingPhone"`;

/** `IDENTIFIER_COLUMNS` as a row has them. */
export interface IdentifierColumns {
  email: string | null;
  emailVerified: boolean;
  pendingEmail: string | null;
  phone: string | null;
  phoneVerified: boolean;
  pendingPhone: string | null;
}

/** The identifiers of a consumer `c`. */
export const IDENTIFIER_JOINS = sql`
  LEFT JOIN identifier e ON e.consumer_id = c.id AND e.kind = 'email' AND NOT e.pending
  LEFT JOIN identifier pe ON pe.consumer_id = c.id AND pe.kind = 'email' AND pe.pending
  LEFT JOIN identifier p ON p.consumer_id = c.id AND p.kind = 'phone' AND NOT p.pending
  LEFT JOIN identifier pp ON pp.consumer_id = c.id AND pp.kind = 'phone' AND pp.pending`;

/** For a `LATERAL` join: `value` and `verified_at` of the present identifier of a consumer `c`. */
export const presentIdentifier = (kind: IdentifierKind): Sql =>
  sql`(SELECT value, verified_at FROM identifier WHERE consumer_id = c.id AND kind = ${kind} AND NOT pending LIMIT 1)`;

/** Every statement on `identifier`, except those that join the fragments above. */
@Injectable()
export class IdentifierRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The identifier of the consumer who has it, claimed or verified; a pending one belongs to nobody yet. */
  findPresent(manager: EntityManager, { kind, value }: IdentifierName): Promise<Identifier | null> {
    return manager.findOneBy(Identifier, { kind, value, pending: false });
  }

  /** Both kinds, present and pending. */
  findIdentifiersOf(manager: EntityManager, consumerId: string): Promise<Identifier[]> {
    return manager.find(Identifier, { where: { consumerId }, order: { kind: 'ASC', pending: 'ASC' } });
  }

  /** The same, locked in the order in which proofs lock them. */
  lockIdentifiersOf(manager: EntityManager, consumerId: string): Promise<Identifier[]> {
    return manager.find(Identifier, {
      ...{ where: { consumerId }, order: { id: 'ASC' } },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Who has it, claimed or verified. */
  async findHolder({ kind, value }: IdentifierName): Promise<string | null> {
    const [holder] = await run<{ consumer_id: string }>(this.dataSource, holderOf(kind, value));
    return holder?.consumer_id ?? null;
  }

  /** The consumer's identifiers, also claimed and pending ones, but not those that another consumer has proven. */
  findContactAddresses(manager: EntityManager, consumerId: string): Promise<IdentifierName[]> {
    return run<IdentifierName>(
      manager,
      sql`SELECT DISTINCT kind, value FROM identifier own WHERE consumer_id = ${consumerId} AND NOT EXISTS (
          SELECT 1 FROM identifier other WHERE other.value = own.value AND other.kind = own.kind
            AND NOT other.pending AND other.verified_at IS NOT NULL AND other.consumer_id <> own.consumer_id)
        ORDER BY kind, value`,
    );
  }

  /** Which of these identifiers somebody has, claimed or verified. */
  findHeld(manager: EntityManager, emails: string[], phones: string[]): Promise<IdentifierName[]> {
    return run<IdentifierName>(
      manager,
      sql`SELECT kind, value FROM identifier WHERE NOT pending AND kind = 'email' AND value = ANY (${emails}::text[])
        UNION ALL
        SELECT kind, value FROM identifier WHERE NOT pending AND kind = 'phone' AND value = ANY (${phones}::text[])`,
    );
  }

  /** Who has proven the e-mail address, locked as for a change of the consumer. */
  async lockOwnerOfEmail(manager: EntityManager, email: string): Promise<string | null> {
    const [owner] = await run<{ id: string }>(
      manager,
      sql`SELECT c.id FROM identifier i JOIN ${CONSUMER} ON c.id = i.consumer_id
        WHERE i.value = ${email} AND i.kind = 'email' AND NOT i.pending AND i.verified_at IS NOT NULL
        FOR NO KEY UPDATE OF c`,
    );
    return owner?.id ?? null;
  }

  /**
   * The consumer's identifiers of this kind and the present one of this value, locked in one order, so that proofs do
   * not deadlock.
   */
  lockForProof(manager: EntityManager, consumerId: string, { kind, value }: IdentifierName): Promise<Identifier[]> {
    return manager
      .createQueryBuilder(Identifier, 'identifier')
      .where('identifier.kind = :kind', { kind })
      .andWhere('(identifier.consumer_id = :consumerId OR (identifier.value = :value AND NOT identifier.pending))', {
        consumerId,
        value,
      })
      .orderBy('identifier.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Unverified; false when another consumer has the value. */
  async insertPresent(manager: EntityManager, consumerId: string, { kind, value }: IdentifierName): Promise<boolean> {
    const inserted = await run(
      manager,
      sql`INSERT INTO identifier (id, consumer_id, kind, value, pending)
        VALUES (${newId()}, ${consumerId}, ${kind}, ${value}, false)
        ON CONFLICT (value, kind) WHERE NOT pending DO NOTHING RETURNING id`,
    );
    return inserted.length > 0;
  }

  async insertPending(manager: EntityManager, consumerId: string, { kind, value }: IdentifierName): Promise<void> {
    await manager.insert(Identifier, { id: newId(), consumerId, kind, value, pending: true, verifiedAt: null });
  }

  /**
   * Always in this order, so that transactions with the same ones do not deadlock. Violates the unique index if another
   * consumer has just got one of them.
   */
  async insertImported(manager: EntityManager, identifiers: ImportedIdentifier[]): Promise<void> {
    const rows = identifiers.map((identifier) => ({ id: newId(), ...identifier }));
    await run(
      manager,
      sql`INSERT INTO identifier (id, consumer_id, kind, value, pending, verified_at)
        SELECT id, "consumerId", kind, value, false, "verifiedAt"
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          AS row (id uuid, "consumerId" uuid, kind text, value text, "verifiedAt" timestamptz)
        ORDER BY kind, value`,
    );
  }

  /** Violates the unique index if another consumer has just got it. */
  async markVerified(manager: EntityManager, id: string, verifiedAt: Date): Promise<void> {
    await manager.update(Identifier, { id }, { pending: false, verifiedAt });
  }

  async deleteIdentifier(manager: EntityManager, id: string): Promise<void> {
    await manager.delete(Identifier, { id });
  }

  /** The present and the pending one. */
  async deleteOfKind(manager: EntityManager, consumerId: string, kind: IdentifierKind): Promise<void> {
    await manager.delete(Identifier, { consumerId, kind });
  }

  async deletePending(manager: EntityManager, consumerId: string, kind: IdentifierKind): Promise<void> {
    await manager.delete(Identifier, { consumerId, kind, pending: true });
  }

  /** Answers how many there were. */
  deleteIdentifiersOf(manager: EntityManager, consumerId: string): Promise<number> {
    return deleteInBatches(manager, 'identifier', 'consumer_id', consumerId);
  }
}
