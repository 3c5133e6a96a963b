import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import type { Assertion } from './assertion-verifier';

/** By what an issuer of assertions knows a consumer. */
export interface ExternalName {
  issuer: string;
  subject: string;
}

export interface ListedExternalIdentity extends ExternalName {
  linkedAt: string;
}

const MEMBERS = {
  issuer: 'x.issuer',
  subject: 'x.subject',
  linkedAt: `to_char(x.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** For a statement: these members of a consumer's external identities as JSON, the oldest first; null where there are none. */
export const externalIdentitiesOf = (consumerId: string, ...members: (keyof typeof MEMBERS)[]): string =>
  `(SELECT json_agg(json_build_object(${members.map((name) => `'${name}', ${MEMBERS[name]}`).join(', ')})
      ORDER BY x.created_at, x.issuer, x.subject)
    FROM external_identity x WHERE x.consumer_id = ${consumerId})`;

/** Another transaction has linked the same subject meanwhile: whoever runs again finds the link. */
export class AlreadyLinked extends Error {
  constructor() {
    super('The subject has been linked meanwhile');
  }
}

/** Keeps which consumer a subject of an issuer is, and which assertions have been used. Joins transactions. */
@Injectable()
export class ExternalIdentitiesService {
  constructor(
    private readonly consumers: ConsumerRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Each assertion works once: refused with `ASSERTION_REPLAYED` ever after. */
  async spend(manager: EntityManager, { digest, expiresAt }: Assertion): Promise<void> {
    const inserted = await manager.query<unknown[]>(
      'INSERT INTO used_assertion (digest, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING digest',
      [digest, expiresAt],
    );
    if (inserted.length === 0) throw new ApiError('ASSERTION_REPLAYED');
  }

  /** The consumer, who cannot be erased, nor the link undone, before this transaction ends. */
  async find(manager: EntityManager, { issuer, subject }: ExternalName): Promise<string | null> {
    const rows = await manager.query<{ id: string }[]>(
      `SELECT c.id FROM external_identity e JOIN consumer c ON c.id = e.consumer_id
       WHERE e.issuer = $1 AND e.subject = $2 FOR KEY SHARE OF c, e`,
      [issuer, subject],
    );
    return rows[0]?.id ?? null;
  }

  /** The oldest link first. */
  async list(manager: EntityManager, consumerId: string): Promise<ListedExternalIdentity[]> {
    const [{ listed }] = await manager.query<[{ listed: ListedExternalIdentity[] | null }]>(
      `SELECT ${externalIdentitiesOf('$1', 'issuer', 'subject', 'linkedAt')} AS listed`,
      [consumerId],
    );
    return listed ?? [];
  }

  async link(manager: EntityManager, { issuer, subject }: ExternalName, consumerId: string): Promise<void> {
    const inserted = await manager.query<unknown[]>(
      `INSERT INTO external_identity (issuer, subject, consumer_id, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING subject`,
      [issuer, subject, consumerId, this.clock.now()],
    );
    if (inserted.length === 0) throw new AlreadyLinked();
  }

  /**
   * Links to whoever has proven this e-mail address, and answers who that is, if anybody. The lock makes whoever ends
   * the consumer's links wait, so that this one ends too.
   */
  async linkToOwner(manager: EntityManager, name: ExternalName, email: string, origin: Origin): Promise<string | null> {
    const [owner] = await manager.query<{ id: string }[]>(
      `SELECT c.id FROM identifier i JOIN consumer c ON c.id = i.consumer_id
       WHERE i.value = $1 AND i.kind = 'email' AND NOT i.pending AND i.verified_at IS NOT NULL FOR NO KEY UPDATE OF c`,
      [email],
    );
    if (!owner) return null;
    await this.link(manager, name, owner.id);
    await this.consumers.touch(manager, owner.id, this.clock.now());
    const act = { type: 'external-identity.linked', consumerId: owner.id, details: { issuer: name.issuer } } as const;
    await this.audit.record(manager, origin, act);
    return owner.id;
  }

  /**
   * Undoes the consumer's links, all or those to one issuer; answers how many. Sessions are to be ended after it: it
   * waits for those that the links are just opening.
   */
  async unlink(manager: EntityManager, consumerId: string, origin: Origin, issuer?: string): Promise<number> {
    await this.consumers.lockConsumerRow(manager, consumerId);
    const [unlinked] = await manager.query<[{ issuer: string }[], number]>(
      'DELETE FROM external_identity WHERE consumer_id = $1 AND ($2::text IS NULL OR issuer = $2) RETURNING issuer',
      [consumerId, issuer ?? null],
    );
    if (unlinked.length === 0) return 0;
    await this.consumers.touch(manager, consumerId, this.clock.now());
    const issuers = [...new Set(unlinked.map((link) => link.issuer))].sort();
    await this.audit.record(manager, origin, {
      type: 'external-identities.unlinked',
      consumerId,
      details: { issuers },
    });
    return unlinked.length;
  }
}
