import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import type { Assertion } from './assertion-verifier';

/** By what an issuer of assertions knows a consumer. */
export interface ExternalName {
  issuer: string;
  subject: string;
}

export interface ListedExternalIdentity extends ExternalName {
  linkedAt: string;
}

/** Another transaction has linked the same subject meanwhile: whoever runs again finds the link. */
export class AlreadyLinked extends Error {
  constructor() {
    super('The subject has been linked meanwhile');
  }
}

/** Keeps which consumer a subject of an issuer is, and which assertions have been used. Joins transactions. */
@Injectable()
export class ExternalIdentitiesService {
  constructor(private readonly clock: Clock) {}

  /** Each assertion works once: refused with `ASSERTION_REPLAYED` ever after. */
  async spend(manager: EntityManager, { digest, expiresAt }: Assertion): Promise<void> {
    const inserted = await manager.query<unknown[]>(
      'INSERT INTO used_assertion (digest, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING digest',
      [digest, expiresAt],
    );
    if (inserted.length === 0) throw new ApiError('ASSERTION_REPLAYED');
  }

  /** The consumer, who cannot be erased before this transaction ends. */
  async find(manager: EntityManager, { issuer, subject }: ExternalName): Promise<string | null> {
    const rows = await manager.query<{ id: string }[]>(
      `SELECT c.id FROM external_identity e JOIN consumer c ON c.id = e.consumer_id
       WHERE e.issuer = $1 AND e.subject = $2 FOR KEY SHARE OF c`,
      [issuer, subject],
    );
    return rows[0]?.id ?? null;
  }

  /** The oldest link first. */
  async list(manager: EntityManager, consumerId: string): Promise<ListedExternalIdentity[]> {
    const rows = await manager.query<(ExternalName & { createdAt: Date })[]>(
      'SELECT issuer, subject, created_at AS "createdAt" FROM external_identity WHERE consumer_id = $1 ORDER BY created_at',
      [consumerId],
    );
    return rows.map(({ createdAt, ...name }) => ({ ...name, linkedAt: createdAt.toISOString() }));
  }

  async link(manager: EntityManager, { issuer, subject }: ExternalName, consumerId: string): Promise<void> {
    const inserted = await manager.query<unknown[]>(
      `INSERT INTO external_identity (issuer, subject, consumer_id, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING subject`,
      [issuer, subject, consumerId, this.clock.now()],
    );
    if (inserted.length === 0) throw new AlreadyLinked();
  }

  /** Links to whoever has proven this e-mail address, and answers who that is, if anybody. */
  async linkToOwner(manager: EntityManager, name: ExternalName, email: string): Promise<string | null> {
    const [owner] = await manager.query<{ id: string }[]>(
      `SELECT c.id FROM identifier i JOIN consumer c ON c.id = i.consumer_id
       WHERE i.value = $1 AND i.kind = 'email' AND NOT i.pending AND i.verified_at IS NOT NULL FOR KEY SHARE OF c`,
      [email],
    );
    if (!owner) return null;
    await this.link(manager, name, owner.id);
    return owner.id;
  }
}
