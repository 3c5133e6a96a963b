import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { ExternalIdentity } from '../../auth/assertions/external-identity.entity';
import { ExternalIdentityRepository } from '../../auth/assertions/external-identity.repository';
import { Identifier } from '../../auth/identifiers/identifier.entity';
import { IdentifierRepository } from '../../auth/identifiers/identifier.repository';
import { LoginRepository } from '../../auth/login/login.repository';
import { PasswordGuesses } from '../../auth/login/password-guesses';
import { CredentialRepository } from '../../auth/passwords/credential.repository';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { EventLog } from '../../events/log/event-log';
import { SubscribersService } from '../../events/subscribers/subscribers.service';
import { AppConfig } from '../../platform/settings/config';
import { ConsumerTrail } from '../../audit/consumer-trail';
import type { Origin } from '../../audit/origin';
import { StoredRemains } from '../../platform/database/stored-remains';
import { AddressedMessages } from '../../messages/addressed-messages';
import { mailboxDirectory, removeFromMailbox } from '../../messages/mailbox/mailbox';
import type { Addressee } from '../../messages/message';
import { Consumer } from '../../profiles/consumer.entity';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { Challenge } from '../../verification/challenge.entity';
import { SendLimitsService } from '../../verification/sending/send-limits.service';
import { Recovery } from '../recovery/recovery.entity';
import { PendingRegistration } from '../registration/pending-registration.entity';
import { ConsumerChallenges } from './consumer-challenges';
import { ConsumerError, ConsumerFinder, noConsumer } from './consumer-finder';

/** Entities with readable names and addresses. */
const PERSONAL = [Consumer, Identifier, ExternalIdentity, Challenge, PendingRegistration, Recovery];

/** In milliseconds: long enough for a service to finish writing a message into the mailbox. */
const WRITING_PAUSE = 1_000;

/** Erases consumers (GDPR, article 17): only an audit trail with opaque ids stays. */
@Injectable()
export class ConsumerErasure {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly finder: ConsumerFinder,
    private readonly consumers: ConsumerRepository,
    private readonly credentials: CredentialRepository,
    private readonly identifiers: IdentifierRepository,
    private readonly links: ExternalIdentityRepository,
    private readonly sessions: SessionsService,
    private readonly challenges: ConsumerChallenges,
    private readonly logins: LoginRepository,
    private readonly limits: SendLimitsService,
    private readonly guesses: PasswordGuesses,
    private readonly messages: AddressedMessages,
    private readonly trail: ConsumerTrail,
    private readonly events: EventLog,
    private readonly subscribers: SubscribersService,
    private readonly remains: StoredRemains,
    private readonly config: AppConfig,
  ) {}

  async erase(text: string, origin: Origin) {
    const customerId = await this.finder.find(text);
    const toBeTold = await this.subscribers.codesToldOfErasures();
    const { erased, addresses, unreadableMessages, messagesInDelivery } = await this.dataSource.transaction((manager) =>
      this.eraseRows(manager, customerId, text, origin),
    );
    try {
      const addressee = { consumerId: customerId, addresses };
      const { mailboxFiles, tablesNotRewritten } = await this.eraseFiles([addressee], messagesInDelivery > 0);
      return {
        customerId,
        erased: { ...erased, mailboxFiles },
        left: { unreadableMessages, messagesInDelivery, tablesNotRewritten },
        // `subscriber erasure ID` shows which of them have acknowledged it.
        toBeTold,
      };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`Consumer ${customerId} is erased, but what is left in files could not be removed: ${reason}`, {
        cause,
      });
    }
  }

  /** Erases those of the consumers who are there, and then once what is left of all of them in files. */
  async eraseAll(customerIds: string[], origin: Origin): Promise<void> {
    const addressees: Addressee[] = [];
    let isBeingWritten = false;
    try {
      for (const consumerId of await this.consumers.findTakenIds(this.dataSource.manager, customerIds)) {
        const erasing = this.dataSource.transaction((manager) =>
          this.eraseRows(manager, consumerId, consumerId, origin),
        );
        const done = await erasing.catch((error: unknown) => {
          // Somebody else has erased the consumer meanwhile.
          if (error instanceof ConsumerError) return null;
          throw error;
        });
        if (!done) continue;
        addressees.push({ consumerId, addresses: done.addresses });
        isBeingWritten ||= done.messagesInDelivery > 0;
      }
    } finally {
      // Also when one could not be erased: a second try does not find the others again.
      if (addressees.length > 0) await this.eraseFiles(addressees, isBeingWritten);
    }
  }

  /**
   * Locks in the order of requests, so that none deadlocks: a login and a password change lock the credential first, a
   * proof the limit, the challenge and then the identifiers, a notice its allowance. Messages come last: every request
   * that could add one for this consumer has ended by then.
   */
  private async eraseRows(manager: EntityManager, consumerId: string, text: string, origin: Origin) {
    await this.credentials.lockCredential(manager, consumerId);
    const isThere = await this.consumers.lockWithReferences(manager, consumerId);
    if (!isThere) throw noConsumer(text);

    const destinations = await this.finder.contactAddressesOf(manager, consumerId);
    const addresses = destinations.map(({ address }) => address);
    await this.limits.forget(manager, destinations);
    const challenges = await this.challenges.removeChallenges(manager, consumerId, addresses);
    const identifiers = await this.identifiers.deleteIdentifiersOf(manager, consumerId);
    const externalIdentities = await this.links.deleteLinksOf(manager, consumerId);
    const sessions = await this.sessions.deleteAll(manager, consumerId, origin);
    await this.guesses.forget(manager, consumerId, addresses);
    const knownAddresses = await this.logins.deleteKnownAddressesOf(manager, consumerId);
    // Other rows that refer to the consumer are deleted with it.
    await this.consumers.deleteConsumer(manager, consumerId);
    await this.limits.forgetNotices(manager, destinations);
    const { removed, inDelivery, unreadable } = await this.messages.remove(manager, { consumerId, addresses });
    const auditDestinations = await this.trail.removePersonalDetails(manager, consumerId);
    const act = { type: 'consumer.erased', consumerId, details: {} } as const;
    await this.events.record(manager, origin, act, { type: 'consumer.erased', consumerId, data: {} });
    return {
      erased: {
        identifiers,
        externalIdentities,
        sessions,
        knownAddresses,
        ...challenges,
        queuedMessages: removed,
        auditDestinations,
      },
      addresses,
      unreadableMessages: unreadable,
      messagesInDelivery: inDelivery,
    };
  }

  /** Looks into the mailbox twice if a service was sending one of the messages. */
  private async eraseFiles(addressees: Addressee[], isBeingWritten: boolean) {
    const directory = mailboxDirectory(this.config);
    let mailboxFiles = await removeFromMailbox(directory, addressees);
    const { tablesNotRewritten } = await this.remains.remove(PERSONAL);
    if (isBeingWritten) {
      await sleep(WRITING_PAUSE);
      mailboxFiles += await removeFromMailbox(directory, addressees);
    }
    return { mailboxFiles, tablesNotRewritten };
  }
}
