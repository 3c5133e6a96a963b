import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { violatedConstraint } from '../../platform/database/database-errors';
import { ApiError } from '../../platform/errors/api-error';
import { newId } from '../../platform/random';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { Identifier, type IdentifierKind } from './identifier.entity';
import { identifierTaken } from './identifiers.service';

export interface Proof {
  verifiedAt: Date;
  /** The verified identifier that gave way. */
  replaced: Identifier | null;
}

/** Settles who holds an identifier once somebody has proven it: proof beats claim. */
@Injectable()
export class IdentifierProofsService {
  constructor(
    private readonly consumers: ConsumerRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Whether a consumer has proven this identifier. */
  async isVerified(manager: EntityManager, kind: IdentifierKind, value: string): Promise<boolean> {
    const holder = await manager.findOneBy(Identifier, { kind, value, pending: false });
    return holder?.verifiedAt instanceof Date;
  }

  /** What the consumer has of a kind, and what is to replace it. */
  async ofKind(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
  ): Promise<{ present?: Identifier; pending?: Identifier }> {
    const both = await manager.findBy(Identifier, { consumerId, kind });
    return { present: both.find(({ pending }) => !pending), pending: both.find(({ pending }) => pending) };
  }

  /** Gives a new consumer an identifier that is proven already. */
  async addProven(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
    origin: Origin,
  ): Promise<void> {
    await manager.insert(Identifier, { id: newId(), consumerId, kind, value, pending: true, verifiedAt: null });
    await this.prove(manager, consumerId, kind, value, origin);
  }

  /**
   * Verifies the consumer's identifier, pending or present. A consumer who only claims it loses it; one who has
   * proven it keeps it (`IDENTIFIER_TAKEN`). Answers when, and which verified identifier it replaces, if any.
   */
  async prove(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
    origin: Origin,
  ): Promise<Proof> {
    const verifiedAt = this.clock.now();
    const { own, rival } = await this.lock(manager, consumerId, kind, value);
    const proven = own.find((identifier) => identifier.value === value);
    if (!proven) throw new ApiError('CODE_EXPIRED', { detail: 'The address has changed since the code was sent.' });
    if (rival?.verifiedAt) throw identifierTaken([kind]);
    const replaced = own.find((identifier) => !identifier.pending && identifier.id !== proven.id);
    if (rival) {
      await manager.delete(Identifier, { id: rival.id });
      const details = { kind, provenBy: consumerId };
      await this.audit.record(manager, origin, { type: 'identifier.lost', consumerId: rival.consumerId, details });
    }
    await this.audit.record(manager, origin, { type: 'identifier.verified', consumerId, details: { kind } });
    if (replaced) await manager.delete(Identifier, { id: replaced.id });
    try {
      await manager.update(Identifier, { id: proven.id }, { pending: false, verifiedAt });
      await this.consumers.touch(manager, consumerId, verifiedAt);
    } catch (error) {
      if (violatedConstraint(error) === 'identifier_value_key') throw identifierTaken([kind]);
      throw error;
    }
    return { verifiedAt, replaced: replaced?.verifiedAt ? replaced : null };
  }

  /** Every row that the proof may touch, locked in one order, so that two proofs never wait for each other. */
  private async lock(manager: EntityManager, consumerId: string, kind: IdentifierKind, value: string) {
    const rows = await manager
      .createQueryBuilder(Identifier, 'identifier')
      .where('identifier.kind = :kind', { kind })
      .andWhere('(identifier.consumer_id = :consumerId OR (identifier.value = :value AND NOT identifier.pending))', {
        consumerId,
        value,
      })
      .orderBy('identifier.id')
      .setLock('pessimistic_write')
      .getMany();
    return {
      own: rows.filter((row) => row.consumerId === consumerId),
      rival: rows.find((row) => row.consumerId !== consumerId),
    };
  }
}
