import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { EXTERNAL_IDENTITIES, type ListedExternalIdentity } from '../../auth/assertions/external-identity.repository';
import {
  IDENTIFIER_COLUMNS,
  IDENTIFIER_JOINS,
  type IdentifierColumns,
} from '../../auth/identifiers/identifier.repository';
import { CREDENTIAL } from '../../auth/passwords/credential.repository';
import { isLiveSession, SESSION } from '../../auth/sessions/session.repository';
import type { UncheckedSession } from '../../auth/sessions/session-principal';
import { Clock } from '../../platform/clock';
import { run, runPrepared } from '../../platform/database/statement';
import { CONSUMER, CONSUMER_COLUMNS, type ConsumerColumns } from '../../profiles/consumer.repository';

/** One consumer's profile with what `auth` knows of the consumer, read by one statement. */
export interface ProfileRow extends ConsumerColumns, IdentifierColumns {
  hasPassword: boolean;
  /** Null: none. */
  externalIdentities: ListedExternalIdentity[] | null;
}

/** Of the consumer `c`. */
const PROFILE_COLUMNS = sql`${CONSUMER_COLUMNS}, ${IDENTIFIER_COLUMNS}, k.consumer_id IS NOT NULL AS "hasPassword",
  ${EXTERNAL_IDENTITIES} AS "externalIdentities"`;
const PROFILE_JOINS = sql`${IDENTIFIER_JOINS} LEFT JOIN ${CREDENTIAL} ON k.consumer_id = c.id`;

/** Reads profiles; owns no table, but joins the fragments of their owners. */
@Injectable()
export class ProfileRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Null if the session has ended, which the same statement checks at half the cost of two. */
  async readWhileLive({ principal }: UncheckedSession): Promise<ProfileRow | null> {
    const [row] = await runPrepared<ProfileRow>(
      this.dataSource,
      sql`SELECT ${PROFILE_COLUMNS} FROM ${SESSION} JOIN ${CONSUMER} ON c.id = s.consumer_id ${PROFILE_JOINS}
        WHERE ${isLiveSession(principal, this.clock.now())}`,
    );
    return row ?? null;
  }

  /** Null when there is no such consumer. */
  async readProfile(manager: EntityManager, consumerId: string): Promise<ProfileRow | null> {
    const [row] = await run<ProfileRow>(
      manager,
      sql`SELECT ${PROFILE_COLUMNS} FROM ${CONSUMER} ${PROFILE_JOINS} WHERE c.id = ${consumerId}`,
    );
    return row ?? null;
  }
}
