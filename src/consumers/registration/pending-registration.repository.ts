import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { run } from '../../platform/database/statement';

/** Every statement on `pending_registration`. */
@Injectable()
export class PendingRegistrationRepository {
  /** The challenges of the registrations that name one of these addresses, whichever of theirs is to be proven. */
  async findChallengeIdsNaming(manager: EntityManager, addresses: string[]): Promise<string[]> {
    const rows = await run<{ id: string }>(
      manager,
      sql`SELECT challenge_id AS id FROM pending_registration
        WHERE registration ->> 'email' = ANY(${addresses}) OR registration ->> 'phone' = ANY(${addresses})`,
    );
    return rows.map(({ id }) => id);
  }
}
