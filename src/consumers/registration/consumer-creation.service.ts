import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CredentialRepository } from '../../auth/passwords/credential.repository';
import { ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import type { ExternalName } from '../../auth/assertions/external-identity.repository';
import type { IdentifierKind } from '../../auth/identifiers/identifier.entity';
import { IdentifiersService } from '../../auth/identifiers/identifiers.service';
import { identifierVerified } from '../../events/log/event-types';
import type { Caller } from '../../auth/sessions/caller';
import type { SessionDto } from '../../auth/sessions/session.dto';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { EventLog } from '../../events/log/event-log';
import { Clock } from '../../platform/clock';
import { newId } from '../../platform/random';
import type { Consumer } from '../../profiles/consumer.entity';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { mergeAddress, mergeAttributes } from '../../profiles/merge-patch';
import type { RegistrationFields } from './register.dto';

/** A valid registration, without its password. */
export type Registration = RegistrationFields;

export interface NewConsumer {
  registration: Registration;
  passwordHash: string | null;
  /** The identifier that has been proven. */
  proven?: IdentifierKind;
  /** Identifiers that are left out if another consumer also claims them. */
  dispensable?: IdentifierKind[];
  /** The issuer's name for the consumer. */
  external?: ExternalName;
  by: 'registration' | 'proof' | 'identification';
}

/** Makes a consumer with everything that belongs to it. Joins a transaction. */
@Injectable()
export class ConsumerCreationService {
  constructor(
    private readonly consumers: ConsumerRepository,
    private readonly credentials: CredentialRepository,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly identifiers: IdentifiersService,
    private readonly sessions: SessionsService,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  /** The new consumer's first session; `IDENTIFIER_TAKEN` if another consumer has an identifier. */
  async create(manager: EntityManager, caller: Caller, newConsumer: NewConsumer): Promise<SessionDto> {
    return this.sessions.issue(manager, await this.add(manager, caller, newConsumer), caller.touchpoint);
  }

  /** The new consumer's id; `IDENTIFIER_TAKEN` if another consumer has an identifier. */
  async add(manager: EntityManager, caller: Caller, newConsumer: NewConsumer): Promise<string> {
    const { registration, passwordHash, external, proven, by } = newConsumer;
    const consumer = this.newConsumer(registration);
    await this.consumers.insertConsumer(manager, consumer);
    // Before any lock that another transaction for the same subject could wait for.
    if (external) await this.externalIdentities.link(manager, external, consumer.id);
    const leftOut = await this.addIdentifiers(manager, caller, consumer.id, newConsumer);
    if (passwordHash !== null) await this.credentials.insertCredential(manager, consumer.id, passwordHash);
    const consumerId = consumer.id;
    const details = { by, ...(leftOut.length > 0 && { leftOut }) };
    await this.events.record(
      manager,
      caller.origin,
      { type: 'consumer.registered', consumerId, details },
      { type: 'consumer.registered', consumerId, data: { by } },
      ...(proven ? [identifierVerified(consumerId, proven)] : []),
    );
    return consumerId;
  }

  /** Always e-mail before phone, so that registrations with the same ones do not deadlock. Answers what is left out. */
  private async addIdentifiers(
    manager: EntityManager,
    { origin }: Caller,
    consumerId: string,
    { registration: { email, phone }, proven, dispensable }: NewConsumer,
  ): Promise<IdentifierKind[]> {
    if (proven === 'email') await this.identifiers.addProven(manager, consumerId, 'email', String(email), origin);
    const claimed = { email: proven === 'email' ? null : email, phone: proven === 'phone' ? null : phone };
    const leftOut = await this.identifiers.claim(manager, consumerId, claimed, dispensable);
    if (proven === 'phone') await this.identifiers.addProven(manager, consumerId, 'phone', String(phone), origin);
    return leftOut;
  }

  private newConsumer({ type, firstName, lastName, birthDate, locale, address, attributes }: Registration): Consumer {
    const now = this.clock.now();
    return {
      id: newId(),
      type,
      firstName,
      lastName,
      birthDate: birthDate ?? null,
      locale: locale ?? null,
      address: mergeAddress(null, address ?? null),
      attributes: mergeAttributes(null, attributes ?? null),
      createdAt: now,
      updatedAt: now,
      disabledAt: null,
    };
  }
}
