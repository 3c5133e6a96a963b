import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EventLog } from '../../events/log/event-log';
import type { Fact } from '../../events/log/event-types';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { IdentifierRepository } from '../identifiers/identifier.repository';
import type { Assertion } from './assertion-verifier';
import {
  ExternalIdentityRepository,
  type ExternalName,
  type ListedExternalIdentity,
} from './external-identity.repository';

/** Another transaction has linked the same subject meanwhile: a second try finds the link. */
export class AlreadyLinked extends Error {
  constructor() {
    super('The subject has been linked meanwhile');
  }
}

/** Keeps which consumer a subject of an issuer is, and which assertions have been used. Joins transactions. */
@Injectable()
export class ExternalIdentitiesService {
  constructor(
    private readonly links: ExternalIdentityRepository,
    private readonly identifiers: IdentifierRepository,
    private readonly consumers: ConsumerRepository,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  /** Each assertion works once; after that it is refused with `ASSERTION_REPLAYED`. */
  async spend(manager: EntityManager, { digest, expiresAt }: Assertion): Promise<void> {
    const isNew = await this.links.insertUsedAssertion(manager, digest, expiresAt);
    if (!isNew) throw new ApiError('ASSERTION_REPLAYED');
  }

  /** The linked consumer. Until this transaction ends the consumer cannot be erased, and the link stays. */
  holdLinkedConsumer(manager: EntityManager, name: ExternalName): Promise<string | null> {
    return this.links.holdLinkedConsumer(manager, name);
  }

  /** The oldest link first. */
  list(manager: EntityManager, consumerId: string): Promise<ListedExternalIdentity[]> {
    return this.links.listLinks(manager, consumerId);
  }

  async link(manager: EntityManager, name: ExternalName, consumerId: string): Promise<void> {
    const isNew = await this.links.insertLink(manager, name, consumerId, this.clock.now());
    if (!isNew) throw new AlreadyLinked();
  }

  /**
   * Links to the consumer who has proven this e-mail address, if there is one, and answers who it is. The lock makes
   * `unlink` wait, so that it undoes this link too.
   */
  async linkToOwner(manager: EntityManager, name: ExternalName, email: string, origin: Origin): Promise<string | null> {
    const owner = await this.identifiers.lockOwnerOfEmail(manager, email);
    if (owner === null) return null;
    await this.link(manager, name, owner);
    await this.consumers.touch(manager, owner, this.clock.now());
    const act = { type: 'external-identity.linked', consumerId: owner, details: { issuer: name.issuer } } as const;
    await this.events.record(manager, origin, act, linksChanged(owner));
    return owner;
  }

  /**
   * Undoes the consumer's links, all or those to one issuer; answers how many. End the sessions after this call: it
   * waits for logins by these links.
   */
  async unlink(manager: EntityManager, consumerId: string, origin: Origin, issuer?: string): Promise<number> {
    await this.consumers.lockConsumerRow(manager, consumerId);
    const unlinked = await this.links.deleteLinks(manager, consumerId, issuer);
    if (unlinked.length === 0) return 0;
    await this.consumers.touch(manager, consumerId, this.clock.now());
    const issuers = [...new Set(unlinked)].sort();
    const act = { type: 'external-identities.unlinked', consumerId, details: { issuers } } as const;
    await this.events.record(manager, origin, act, linksChanged(consumerId));
    return unlinked.length;
  }
}

const linksChanged = (consumerId: string): Fact => ({
  type: 'consumer.updated',
  consumerId,
  data: { changed: ['externalIdentities'] },
});
