import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { run } from '../../platform/database/statement';
import { challengeAt } from '../../verification/challenge.repository';
import { PendingRegistration } from './pending-registration.entity';

/** Every statement on `pending_registration`. */
@Injectable()
export class PendingRegistrationRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insertPendingRegistration(manager: EntityManager, pending: PendingRegistration): Promise<void> {
    await manager.insert(PendingRegistration, pending);
  }

  /** The one that began at the touchpoint; null when there is none. */
  async findPendingRegistration(touchpointId: string, challengeId: string): Promise<PendingRegistration | null> {
    const [pending] = await run<PendingRegistration>(
      this.dataSource,
      sql`SELECT challenge_id AS "challengeId", registration, password_hash AS "passwordHash" FROM pending_registration
        WHERE challenge_id = (${challengeAt({ id: challengeId, touchpointId })})`,
    );
    return pending ?? null;
  }

  /** The challenges of the registrations that name one of these addresses, also if another one is to be proven. */
  async findChallengeIdsNaming(manager: EntityManager, addresses: string[]): Promise<string[]> {
    const rows = await run<{ id: string }>(
      manager,
      sql`SELECT challenge_id AS id FROM pending_registration
        WHERE registration ->> 'email' = ANY(${addresses}) OR registration ->> 'phone' = ANY(${addresses})`,
    );
    return rows.map(({ id }) => id);
  }
}
