import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import { ExternalIdentityRepository } from '../../auth/assertions/external-identity.repository';
import { CredentialRepository } from '../../auth/passwords/credential.repository';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { EventLog } from '../../events/log/event-log';
import { Clock } from '../../platform/clock';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { OwnerNotices } from '../../verification/sending/owner-notices';
import { ConsumerError, ConsumerFinder, noConsumer } from './consumer-finder';
import { IdempotencyService } from '../idempotency/idempotency.service';

export interface EndedLinks {
  customerId: string;
  /** Links to identity providers. */
  unlinked: number;
  /** Sessions. */
  revoked: number;
  /** Whether there is still a password or another link. */
  canLogIn: boolean;
}

/** For administrators: decides by what somebody can act as a consumer. */
@Injectable()
export class ConsumerAccess {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly finder: ConsumerFinder,
    private readonly consumers: ConsumerRepository,
    private readonly credentials: CredentialRepository,
    private readonly links: ExternalIdentityRepository,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly sessions: SessionsService,
    private readonly idempotency: IdempotencyService,
    private readonly events: EventLog,
    private readonly notices: OwnerNotices,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Ends every live session of the consumer, who has to log in again. */
  async revokeSessions(text: string, origin: Origin): Promise<{ customerId: string; revoked: number }> {
    const customerId = await this.finder.find(text);
    const revoked = await this.dataSource.transaction((manager) => this.revokeAll(manager, customerId, origin));
    return { customerId, revoked };
  }

  /** Ends one session of the consumer; nothing happens when it has ended, or is another's. */
  async endSession(customerId: string, sessionId: string, origin: Origin): Promise<void> {
    await this.sessions.endOf(customerId, sessionId, origin);
  }

  /** Undoes the links to an issuer, or all of them, and ends every session: a thief with a token could link again. */
  async unlink(text: string, origin: Origin, issuer?: string): Promise<EndedLinks> {
    const customerId = await this.finder.find(text);
    return this.dataSource.transaction(async (manager) => {
      const unlinked = await this.externalIdentities.unlink(manager, customerId, origin, issuer);
      if (unlinked === 0 && issuer !== undefined) {
        throw new ConsumerError(`Consumer ${customerId} is not linked to ${issuer}`);
      }
      const revoked = await this.revokeAll(manager, customerId, origin);
      return { customerId, unlinked, revoked, canLogIn: await this.canLogIn(manager, customerId) };
    });
  }

  /**
   * Disables the consumer, from the next request on: a session is live only while its consumer is not disabled. Kept
   * outcomes stay, so that retries are refused too.
   */
  async disable(text: string, reason: string, origin: Origin) {
    const consumerId = await this.finder.find(text);
    return this.dataSource.transaction(async (manager) => {
      const wasDisabled = await this.isDisabled(manager, consumerId);
      const disabledAt = await this.consumers.disable(manager, consumerId, this.clock.now());
      if (!disabledAt) throw noConsumer(text);
      const revoked = await this.sessions.revokeAll(manager, consumerId, origin);
      const act = { type: 'consumer.disabled', consumerId, details: { reason } } as const;
      const fact = { type: 'consumer.disabled', consumerId, data: {} } as const;
      await this.events.record(manager, origin, act, ...(wasDisabled ? [] : [fact]));
      return { customerId: consumerId, disabledAt: disabledAt.toISOString(), revoked };
    });
  }

  /** Whoever knows the password can log in again. Sessions that a running login has opened meanwhile end here. */
  async enable(text: string, reason: string | undefined, origin: Origin) {
    const consumerId = await this.finder.find(text);
    return this.dataSource.transaction(async (manager) => {
      const wasDisabled = await this.isDisabled(manager, consumerId);
      if (!(await this.consumers.enable(manager, consumerId))) throw noConsumer(text);
      const revoked = await this.revokeAll(manager, consumerId, origin);
      const details = reason === undefined ? {} : { reason };
      const act = { type: 'consumer.enabled', consumerId, details } as const;
      const fact = { type: 'consumer.enabled', consumerId, data: {} } as const;
      await this.events.record(manager, origin, act, ...(wasDisabled ? [fact] : []));
      return { customerId: consumerId, disabledAt: null, revoked };
    });
  }

  /**
   * Writes to every proven address how to choose a new password. The notice holds no code: a recovery begins where the
   * consumer signs in, so that nobody can be talked out of a code that an administrator has sent.
   */
  async adviseRecovery(
    text: string,
    reason: string,
    origin: Origin,
  ): Promise<{ customerId: string; addresses: number }> {
    const customerId = await this.finder.find(text);
    return this.dataSource.transaction(async (manager) => {
      if (await this.consumers.findDisabledAt(manager, customerId)) {
        throw new ConsumerError(`Consumer ${customerId} is disabled and cannot choose a new password: enable it first`);
      }
      const addresses = await this.notices.recoveryAdvised(manager, customerId, origin);
      if (addresses === 0) {
        throw new ConsumerError(
          `Consumer ${customerId} has no proven address, or was written to too often in this hour`,
        );
      }
      const act = { type: 'recovery.advised', consumerId: customerId, details: { reason, addresses } } as const;
      await this.audit.record(manager, origin, act);
      return { customerId, addresses };
    });
  }

  /** Until the transaction ends, nobody else changes that. */
  private async isDisabled(manager: EntityManager, consumerId: string): Promise<boolean> {
    await this.consumers.lockConsumerRow(manager, consumerId);
    return (await this.consumers.findDisabledAt(manager, consumerId)) !== null;
  }

  private async revokeAll(manager: EntityManager, consumerId: string, origin: Origin): Promise<number> {
    await this.consumers.lockConsumerRow(manager, consumerId);
    await this.idempotency.endAll(manager, consumerId);
    return this.sessions.revokeAll(manager, consumerId, origin);
  }

  private async canLogIn(manager: EntityManager, consumerId: string): Promise<boolean> {
    return (
      (await this.credentials.hasCredential(manager, consumerId)) || (await this.links.hasLink(manager, consumerId))
    );
  }
}
