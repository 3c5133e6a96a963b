import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiError, type FieldError } from '../../platform/errors/api-error';
import { newId } from '../../platform/random';
import { Identifier, type IdentifierKind } from './identifier.entity';

/** Canonical identifiers by their kind. */
export type Identifiers = Partial<Record<IdentifierKind, string | null>>;

const inUse = (kind: IdentifierKind): FieldError => ({
  field: kind,
  code: 'IN_USE',
  message: 'belongs to another consumer',
});

/** Another consumer holds these; the answer names the fields. */
export const identifierTaken = (kinds: IdentifierKind[]) =>
  new ApiError('IDENTIFIER_TAKEN', { errors: kinds.map(inUse) });

/** What became of one identifier: whether anything changed, and which one is gone without a successor. */
export interface IdentifierChange {
  changed: boolean;
  removed: Identifier | null;
}

/** Keeps who holds which identifier. The unique index decides between consumers who want the same one. */
@Injectable()
export class IdentifiersService {
  /**
   * Gives a new consumer its identifiers, unverified; refused with `IDENTIFIER_TAKEN` when another holds one. Of the
   * `dispensable` ones those are left out, and answered, that another only claims.
   */
  async claim(
    manager: EntityManager,
    consumerId: string,
    { email, phone }: Identifiers,
    dispensable: IdentifierKind[] = [],
  ): Promise<IdentifierKind[]> {
    const wanted = { email, phone };
    const conflicts: IdentifierKind[] = [];
    const leftOut: IdentifierKind[] = [];
    for (const kind of ['email', 'phone'] as const) {
      const value = wanted[kind] ?? null;
      if (value === null || (await this.insertPresent(manager, consumerId, kind, value))) continue;
      const holder = await manager.findOneBy(Identifier, { kind, value, pending: false });
      (dispensable.includes(kind) && !holder?.verifiedAt ? leftOut : conflicts).push(kind);
    }
    if (conflicts.length > 0) throw identifierTaken(conflicts);
    return leftOut;
  }

  /**
   * Changes one identifier; null removes it. A verified one is only ever replaced by another verified one: until
   * then the new one is pending, and so is one that another consumer claims without having proven it.
   */
  async change(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string | null,
  ): Promise<IdentifierChange> {
    const all = await manager.findBy(Identifier, { consumerId });
    const present = all.find((identifier) => identifier.kind === kind && !identifier.pending);
    const pending = all.find((identifier) => identifier.kind === kind && identifier.pending);
    if (value === null) {
      const otherVerified = all.some((identifier) => identifier.kind !== kind && identifier.verifiedAt !== null);
      if (present?.verifiedAt && !otherVerified) throw new ApiError('LAST_IDENTIFIER');
      await manager.delete(Identifier, { consumerId, kind });
      return { changed: present !== undefined || pending !== undefined, removed: present ?? null };
    }
    if (value === present?.value) {
      if (pending) await manager.delete(Identifier, { id: pending.id });
      return { changed: pending !== undefined, removed: null };
    }
    if (value === pending?.value) return { changed: false, removed: null };
    await this.replace(manager, consumerId, kind, value, present);
    return { changed: true, removed: null };
  }

  private async replace(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
    present: Identifier | undefined,
  ): Promise<void> {
    await manager.delete(Identifier, { consumerId, kind, pending: true });
    // Nothing is given up for a value that another holds: two consumers who swap theirs would wait for each other.
    const holder = await manager.findOneBy(Identifier, { kind, value, pending: false });
    if (holder?.verifiedAt) throw identifierTaken([kind]);
    if (!holder && !present?.verifiedAt) {
      if (present) await manager.delete(Identifier, { id: present.id });
      if (await this.insertPresent(manager, consumerId, kind, value)) return;
      if (present) await this.insertPresent(manager, consumerId, kind, present.value);
    }
    await manager.insert(Identifier, { id: newId(), consumerId, kind, value, pending: true, verifiedAt: null });
  }

  /** False when another consumer holds the value. */
  private async insertPresent(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
  ): Promise<boolean> {
    const inserted = await manager.query<unknown[]>(
      `INSERT INTO identifier (id, consumer_id, kind, value, pending) VALUES ($1, $2, $3, $4, false)
       ON CONFLICT (value, kind) WHERE NOT pending DO NOTHING RETURNING id`,
      [newId(), consumerId, kind, value],
    );
    return inserted.length > 0;
  }
}
