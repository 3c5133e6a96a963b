import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { violatedConstraint } from '../platform/database/database-errors';
import { ApiError } from '../platform/errors/api-error';
import { newId } from '../platform/random';
import { Identifier, type IdentifierKind } from './identifier.entity';
import { identifierTaken } from './identifiers.service';

/** Settles who holds an identifier once somebody has proven it: proof beats claim. */
@Injectable()
export class IdentifierProofsService {
  constructor(private readonly clock: Clock) {}

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
  async addProven(manager: EntityManager, consumerId: string, kind: IdentifierKind, value: string): Promise<void> {
    await manager.insert(Identifier, { id: newId(), consumerId, kind, value, pending: true, verifiedAt: null });
    await this.prove(manager, consumerId, kind, value);
  }

  /**
   * Verifies the consumer's identifier, pending or present. A consumer who only claims it loses it; one who has
   * proven it keeps it (`IDENTIFIER_TAKEN`). Answers the verified identifier that it replaces, if any.
   */
  async prove(
    manager: EntityManager,
    consumerId: string,
    kind: IdentifierKind,
    value: string,
  ): Promise<Identifier | null> {
    const { own, rival } = await this.lock(manager, consumerId, kind, value);
    const proven = own.find((identifier) => identifier.value === value);
    if (!proven) throw new ApiError('CODE_EXPIRED', { detail: 'The address has changed since the code was sent.' });
    if (rival?.verifiedAt) throw identifierTaken([kind]);
    const replaced = own.find((identifier) => !identifier.pending && identifier.id !== proven.id);
    if (rival) await manager.delete(Identifier, { id: rival.id });
    if (replaced) await manager.delete(Identifier, { id: replaced.id });
    try {
      await manager.update(Identifier, { id: proven.id }, { pending: false, verifiedAt: this.clock.now() });
    } catch (error) {
      if (violatedConstraint(error) === 'identifier_value_key') throw identifierTaken([kind]);
      throw error;
    }
    return replaced?.verifiedAt ? replaced : null;
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
