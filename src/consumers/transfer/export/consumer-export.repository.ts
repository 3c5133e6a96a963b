import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { EXTERNAL_IDENTITIES } from '../../../auth/assertions/external-identity.repository';
import { presentIdentifier } from '../../../auth/identifiers/identifier.repository';
import { PASSWORD_HASH } from '../../../auth/passwords/credential.repository';
import { run } from '../../../platform/database/statement';
import { CONSUMER_COLUMNS, consumerPage } from '../../../profiles/consumer.repository';
import type { ExportedConsumer } from './exported-consumer';

const PAGE_SIZE = 500;

/** Reads whole consumers, many at once; owns no table, but joins what the owners of the tables say of their columns. */
@Injectable()
export class ConsumerExportRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The next consumers after this id. One statement, so that each consumer is as it was at one moment. The `LATERAL`
   * look-ups have limits, which keep the planner from making joins of them: without statistics, which the embedded
   * database never has, it would read both tables from end to end for every page.
   */
  readPage(after: string | null): Promise<ExportedConsumer[]> {
    return run<ExportedConsumer>(
      this.dataSource,
      sql`SELECT ${CONSUMER_COLUMNS}, e.value AS email, e.verified_at AS "emailVerifiedAt",
          p.value AS phone, p.verified_at AS "phoneVerifiedAt", k.password_hash AS "passwordHash",
          ${EXTERNAL_IDENTITIES} AS "externalIdentities"
        FROM ${consumerPage(after, PAGE_SIZE)}
        LEFT JOIN LATERAL ${presentIdentifier('email')} e ON true
        LEFT JOIN LATERAL ${presentIdentifier('phone')} p ON true
        LEFT JOIN LATERAL ${PASSWORD_HASH} k ON true
        ORDER BY c.id`,
    );
  }
}
