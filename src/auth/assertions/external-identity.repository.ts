import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { deleteInBatches } from '../../platform/database/batches';
import { change, run } from '../../platform/database/statement';
import { CONSUMER } from '../../profiles/consumer.repository';
import { ExternalIdentity } from './external-identity.entity';

/** The issuer's name for a consumer. */
export interface ExternalName {
  issuer: string;
  subject: string;
}

export interface ListedExternalIdentity extends ExternalName {
  linkedAt: string;
}

/** A link of an imported consumer. */
export interface ImportedLink extends ExternalName {
  consumerId: string;
  linkedAt: Date;
}

/**
 * For a statement's columns: the links of a consumer `c` as a JSON list of `ListedExternalIdentity`, the oldest first;
 * null where there are none.
 */
export const EXTERNAL_IDENTITIES = sql`(
  SELECT json_agg(json_build_object('issuer', x.issuer, 'subject', x.subject,
      'linkedAt', to_char(x.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    ORDER BY x.created_at, x.issuer, x.subject)
  FROM external_identity x WHERE x.consumer_id = c.id)`;

/** Every statement on `external_identity` and `used_assertion`, except those that join the fragment above. */
@Injectable()
export class ExternalIdentityRepository {
  /** False if it was used before. */
  async insertUsedAssertion(manager: EntityManager, digest: Buffer, expiresAt: Date): Promise<boolean> {
    const inserted = await run(
      manager,
      sql`INSERT INTO used_assertion (digest, expires_at) VALUES (${digest}, ${expiresAt})
        ON CONFLICT DO NOTHING RETURNING digest`,
    );
    return inserted.length > 0;
  }

  /** The linked consumer. Until this transaction ends the consumer cannot be erased, and the link stays. */
  async holdLinkedConsumer(manager: EntityManager, { issuer, subject }: ExternalName): Promise<string | null> {
    const [consumer] = await run<{ id: string }>(
      manager,
      sql`SELECT c.id FROM external_identity e JOIN ${CONSUMER} ON c.id = e.consumer_id
        WHERE e.issuer = ${issuer} AND e.subject = ${subject} FOR KEY SHARE OF c, e`,
    );
    return consumer?.id ?? null;
  }

  /** Which of these subjects are linked to somebody. */
  async findLinked(manager: EntityManager, names: ExternalName[]): Promise<ExternalName[]> {
    if (names.length === 0) return [];
    const [issuers, subjects] = [names.map(({ issuer }) => issuer), names.map(({ subject }) => subject)];
    return run<ExternalName>(
      manager,
      sql`SELECT issuer, subject FROM external_identity
        JOIN unnest(${issuers}::text[], ${subjects}::text[]) AS asked (issuer, subject) USING (issuer, subject)`,
    );
  }

  /** The oldest link first. */
  async listLinks(manager: EntityManager, consumerId: string): Promise<ListedExternalIdentity[]> {
    const [row] = await run<{ links: ListedExternalIdentity[] | null }>(
      manager,
      sql`SELECT ${EXTERNAL_IDENTITIES} AS links FROM (SELECT ${consumerId}::uuid AS id) c`,
    );
    return row?.links ?? [];
  }

  hasLink(manager: EntityManager, consumerId: string): Promise<boolean> {
    return manager.existsBy(ExternalIdentity, { consumerId });
  }

  /** False when the subject is linked already. */
  async insertLink(
    manager: EntityManager,
    { issuer, subject }: ExternalName,
    consumerId: string,
    createdAt: Date,
  ): Promise<boolean> {
    const inserted = await run(
      manager,
      sql`INSERT INTO external_identity (issuer, subject, consumer_id, created_at)
        VALUES (${issuer}, ${subject}, ${consumerId}, ${createdAt}) ON CONFLICT DO NOTHING RETURNING subject`,
    );
    return inserted.length > 0;
  }

  /**
   * Always in this order, so that transactions with the same ones do not deadlock. Violates the primary key if another
   * consumer has just got one of them.
   */
  async insertImportedLinks(manager: EntityManager, links: ImportedLink[]): Promise<void> {
    if (links.length === 0) return;
    await run(
      manager,
      sql`INSERT INTO external_identity (issuer, subject, consumer_id, created_at)
        SELECT issuer, subject, "consumerId", "linkedAt"
        FROM jsonb_to_recordset(${JSON.stringify(links)}::jsonb)
          AS row (issuer text, subject text, "consumerId" uuid, "linkedAt" timestamptz)
        ORDER BY issuer, subject`,
    );
  }

  /** The consumer's links, all or those to one issuer; answers whose they were. */
  async deleteLinks(manager: EntityManager, consumerId: string, issuer?: string): Promise<string[]> {
    const which = issuer === undefined ? sql`true` : sql`issuer = ${issuer}`;
    const { rows } = await change<{ issuer: string }>(
      manager,
      sql`DELETE FROM external_identity WHERE consumer_id = ${consumerId} AND ${which} RETURNING issuer`,
    );
    return rows.map((link) => link.issuer);
  }

  /** Answers how many there were. */
  deleteLinksOf(manager: EntityManager, consumerId: string): Promise<number> {
    return deleteInBatches(manager, 'external_identity', 'consumer_id', consumerId);
  }
}
