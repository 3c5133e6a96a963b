import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EventLog } from '../../events/log/event-log';
import { type Fact, identifierRemoved, identifierVerified } from '../../events/log/event-types';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { violatedConstraint } from '../../platform/database/connection/database-errors';
import { ApiError, type FieldError } from '../../platform/errors/api-error';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import type { Identifier, IdentifierKind } from './identifier.entity';
import { type IdentifierName, IdentifierRepository } from './identifier.repository';

/** Canonical identifiers by their kind. */
export type Identifiers = Partial<Record<IdentifierKind, string | null>>;

/** The result for one identifier: whether it changed, and which verified one was removed without a new one. */
export interface IdentifierChange {
  changed: boolean;
  removed: Identifier | null;
}

export interface Proof {
  verifiedAt: Date;
  /** The verified identifier that was removed. */
  replaced: Identifier | null;
}

/** By which identifier an account is recovered, and whether the consumer had only claimed it when that began. */
export interface RecoveredBy {
  consumerId: string;
  identifierId: string;
  claimed: boolean;
}

/**
 * Records who holds which identifier: the unique index decides between consumers who claim the same one, and proof
 * beats claim. Joins transactions.
 */
@Injectable()
export class IdentifiersService {
  constructor(
    private readonly identifiers: IdentifierRepository,
    private readonly consumers: ConsumerRepository,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  /** Whether a consumer has proven this identifier. */
  async isVerified(manager: EntityManager, kind: IdentifierKind, value: string): Promise<boolean> {
    const holder = await this.identifiers.findPresent(manager, { kind, value });
    return holder?.verifiedAt instanceof Date;
  }

  /** Those that the consumer has proven. */
  async verifiedOf(manager: EntityManager, consumerId: string): Promise<Identifier[]> {
    const all = await this.identifiers.findIdentifiersOf(manager, consumerId);
    return all.filter(({ verifiedAt }) => verifiedAt !== null);
  }

  /** What the consumer has of a kind, and what replaces it. */
  async ofKind(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
  ): Promise<{ present?: Identifier; pending?: Identifier }> {
    const both = (await this.identifiers.findIdentifiersOf(manager, consumerId)).filter((one) => one.kind === kind);
    return { present: both.find(({ pending }) => !pending), pending: both.find(({ pending }) => pending) };
  }

  /**
   * Gives a new consumer its identifiers, unverified; `IDENTIFIER_TAKEN` if another consumer holds one. A `dispensable`
   * one that another only claims is left out. Answers what was left out.
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
      if (value === null || (await this.identifiers.insertPresent(manager, consumerId, { kind, value }))) continue;
      const holder = await this.identifiers.findPresent(manager, { kind, value });
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
    const all = await this.identifiers.findIdentifiersOf(manager, consumerId);
    const present = all.find((identifier) => identifier.kind === kind && !identifier.pending);
    const pending = all.find((identifier) => identifier.kind === kind && identifier.pending);
    if (value === null) {
      const otherVerified = all.some((identifier) => identifier.kind !== kind && identifier.verifiedAt !== null);
      if (present?.verifiedAt && !otherVerified) throw new ApiError('LAST_IDENTIFIER');
      await this.identifiers.deleteOfKind(manager, consumerId, kind);
      return { changed: present !== undefined || pending !== undefined, removed: present?.verifiedAt ? present : null };
    }
    if (value === present?.value) {
      if (pending) await this.identifiers.deleteIdentifier(manager, pending.id);
      return { changed: pending !== undefined, removed: null };
    }
    if (value === pending?.value) return { changed: false, removed: null };
    await this.replace(manager, consumerId, { kind, value }, present);
    return { changed: true, removed: null };
  }

  /** Gives a new consumer an identifier that is proven already; the caller records the event. */
  async addProven(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
    origin: Origin,
  ): Promise<void> {
    await this.identifiers.insertPending(manager, consumerId, { kind, value });
    await this.establish(manager, consumerId, { kind, value }, origin, []);
  }

  /**
   * Verifies the consumer's identifier, pending or present. A consumer who only claims it loses it; one who has
   * proven it keeps it (`IDENTIFIER_TAKEN`). Answers when, and which verified identifier it replaces, if any.
   */
  prove(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
    origin: Origin,
  ): Promise<Proof> {
    const facts = [identifierVerified(consumerId, kind)];
    return this.establish(manager, consumerId, { kind, value }, origin, facts);
  }

  private async establish(
    manager: EntityManager,
    consumerId: string,
    { kind, value }: IdentifierName,
    origin: Origin,
    facts: Fact[],
  ): Promise<Proof> {
    const verifiedAt = this.clock.now();
    const locked = await this.identifiers.lockForProof(manager, consumerId, { kind, value });
    const own = locked.filter((identifier) => identifier.consumerId === consumerId);
    const rival = locked.find((identifier) => identifier.consumerId !== consumerId);
    const proven = own.find((identifier) => identifier.value === value);
    if (!proven) throw new ApiError('CODE_EXPIRED', { detail: 'The address has changed since the code was sent.' });
    if (rival?.verifiedAt) throw identifierTaken([kind]);
    const replaced = own.find((identifier) => !identifier.pending && identifier.id !== proven.id);
    if (rival) {
      await this.identifiers.deleteIdentifier(manager, rival.id);
      const details = { kind, provenBy: consumerId };
      const lost = { type: 'identifier.lost', consumerId: rival.consumerId, details } as const;
      await this.events.record(manager, origin, lost, identifierRemoved(rival.consumerId, kind));
    }
    await this.events.record(manager, origin, { type: 'identifier.verified', consumerId, details: { kind } }, ...facts);
    if (replaced) await this.identifiers.deleteIdentifier(manager, replaced.id);
    try {
      await this.identifiers.markVerified(manager, proven.id, verifiedAt);
      await this.consumers.touch(manager, consumerId, verifiedAt);
    } catch (error) {
      if (violatedConstraint(error) === 'identifier_value_key') throw identifierTaken([kind]);
      throw error;
    }
    return { verifiedAt, replaced: replaced?.verifiedAt ? replaced : null };
  }

  /**
   * Verifies the identifier by which the consumer's account is recovered. Removes pending identifiers and, of an
   * account that was only claimed, all others. Null if the consumer no longer has the identifier.
   */
  async recover(
    manager: EntityManager,
    { consumerId, identifierId, claimed }: RecoveredBy,
    origin: Origin,
  ): Promise<{ kept: Identifier[]; removed: Identifier[] } | null> {
    const own = await this.identifiers.lockIdentifiersOf(manager, consumerId);
    const proven = own.find(({ id }) => id === identifierId);
    if (!proven) return null;
    const removed = own.filter(({ id, pending }) => id !== identifierId && (claimed || pending));
    for (const { id } of removed) await this.identifiers.deleteIdentifier(manager, id);
    if (proven.verifiedAt === null) {
      await this.identifiers.markVerified(manager, identifierId, this.clock.now());
      const details = { kind: proven.kind };
      const verified = { type: 'identifier.verified', consumerId, details } as const;
      await this.events.record(manager, origin, verified, identifierVerified(consumerId, proven.kind));
    }
    return { kept: own.filter((identifier) => !removed.includes(identifier)), removed };
  }

  private async replace(
    manager: EntityManager,
    consumerId: string,
    wanted: IdentifierName,
    present: Identifier | undefined,
  ): Promise<void> {
    await this.identifiers.deletePending(manager, consumerId, wanted.kind);
    // Checked before anything is removed: otherwise two consumers who swap identifiers would deadlock.
    const holder = await this.identifiers.findPresent(manager, wanted);
    if (holder?.verifiedAt) throw identifierTaken([wanted.kind]);
    if (!holder && !present?.verifiedAt) {
      if (present) await this.identifiers.deleteIdentifier(manager, present.id);
      if (await this.identifiers.insertPresent(manager, consumerId, wanted)) return;
      if (present) await this.identifiers.insertPresent(manager, consumerId, present);
    }
    await this.identifiers.insertPending(manager, consumerId, wanted);
  }
}

/** Another consumer holds these; the answer names the fields. */
function identifierTaken(kinds: IdentifierKind[]): ApiError {
  const errors = kinds.map((field): FieldError => ({ field, code: 'IN_USE', message: 'belongs to another consumer' }));
  return new ApiError('IDENTIFIER_TAKEN', { errors });
}
