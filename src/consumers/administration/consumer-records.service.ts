import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { type ListedSession, SessionsService } from '../../auth/sessions/sessions.service';
import { ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import type { ListedExternalIdentity } from '../../auth/assertions/external-identity.repository';
import { IdentifierRepository } from '../../auth/identifiers/identifier.repository';
import { LoginRepository } from '../../auth/login/login.repository';
import { AuditService } from '../../audit/audit.service';
import type { AuditEventView } from '../../audit/audit-event-view';
import { ConsumerTrail } from '../../audit/consumer-trail';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { AddressedMessages } from '../../messages/addressed-messages';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { maskedDestination } from '../../verification/channel';
import { ConsumerChallenges, type OpenChallenge } from './consumer-challenges';
import { ConsumerFinder, noConsumer } from './consumer-finder';
import type { ProfileDto } from '../profile/profile.dto';
import { ProfilesService } from '../profile/profiles.service';

/** What support needs to see about a consumer. */
export interface ConsumerRecord {
  profile: ProfileDto;
  /** Since when nobody may act as the consumer, or null. */
  disabledAt: string | null;
  externalIdentities: ListedExternalIdentity[];
  sessions: ListedSession[];
  /** The newest, the oldest of them first. */
  auditTrail: AuditEventView[];
  /** Whether older events are left out. */
  auditTrailIsCut: boolean;
}

/** Reads what is kept of one consumer, who is named by customer id, e-mail address or phone number. */
@Injectable()
export class ConsumerRecords {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly finder: ConsumerFinder,
    private readonly profiles: ProfilesService,
    private readonly consumers: ConsumerRepository,
    private readonly identifiers: IdentifierRepository,
    private readonly logins: LoginRepository,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly sessions: SessionsService,
    private readonly challenges: ConsumerChallenges,
    private readonly messages: AddressedMessages,
    private readonly trail: ConsumerTrail,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** With the newest 1,000 events unless told. */
  async show(text: string, { events }: { events?: number } = {}): Promise<ConsumerRecord> {
    const consumerId = await this.finder.find(text);
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => ({
      ...(await this.read(manager, consumerId, text)),
      ...(await this.trail.newest(manager, consumerId, events)),
    }));
  }

  /** Everything kept of the consumer, except secrets and digests (GDPR, articles 15 and 20); recorded. */
  async export(text: string, origin: Origin) {
    const consumerId = await this.finder.find(text);
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      await this.audit.record(manager, origin, { type: 'consumer.exported', consumerId, details: {} });
      const { profile, disabledAt, externalIdentities, sessions } = await this.read(manager, consumerId, text);
      const addresses = (await this.finder.contactAddressesOf(manager, consumerId)).map(({ address }) => address);
      const challenges = await this.challenges.findOpenChallenges(manager, consumerId, addresses);
      const view = ({ channel, destination, expiresAt }: OpenChallenge) => ({
        channel,
        // A registration that names the consumer's address may be proven by somebody else's.
        destination: addresses.includes(destination) ? destination : maskedDestination(channel, destination),
        expiresAt,
      });
      return {
        exportedAt: this.clock.now().toISOString(),
        profile,
        disabledAt,
        identifiers: await this.identifiersOf(manager, consumerId),
        externalIdentities,
        sessions,
        knownAddresses: await this.knownAddressesOf(manager, consumerId),
        openChallenges: challenges.filter((challenge) => challenge.of === 'consumer').map(view),
        pendingRegistrations: challenges.filter((challenge) => challenge.of === 'registration').map(view),
        openRecoveries: challenges.filter((challenge) => challenge.of === 'recovery').map(view),
        queuedMessages: await this.messages.list(manager, { consumerId, addresses }),
        // Who ran a command is not about the consumer.
        auditTrail: (await this.trail.all(manager, consumerId)).map(({ operator: _, ...event }) => event),
      };
    });
  }

  async sessionsOf(text: string): Promise<ListedSession[]> {
    return this.sessions.list(this.dataSource.manager, await this.finder.find(text));
  }

  private async read(manager: EntityManager, consumerId: string, text: string) {
    const profile = await this.profiles.find(manager, consumerId);
    if (!profile) throw noConsumer(text);
    const disabledAt = await this.consumers.findDisabledAt(manager, consumerId);
    return {
      profile,
      disabledAt: disabledAt?.toISOString() ?? null,
      externalIdentities: await this.externalIdentities.list(manager, consumerId),
      sessions: await this.sessions.list(manager, consumerId),
    };
  }

  private async identifiersOf(manager: EntityManager, consumerId: string) {
    const identifiers = await this.identifiers.findIdentifiersOf(manager, consumerId);
    return identifiers.map(({ kind, value, pending, verifiedAt }) => ({
      kind,
      value,
      pending,
      verifiedAt: verifiedAt?.toISOString() ?? null,
    }));
  }

  /** Only digests of these addresses exist, and when there was a login from them. */
  private async knownAddressesOf(manager: EntityManager, consumerId: string) {
    const known = await this.logins.findKnownAddresses(manager, consumerId);
    return known.map(({ lastLoginAt }) => ({ lastLoginAt: lastLoginAt.toISOString() }));
  }
}
