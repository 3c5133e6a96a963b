import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Origin } from '../../audit/origin';
import { ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import { IdentifiersService } from '../../auth/identifiers/identifiers.service';
import { LoginRepository } from '../../auth/login/login.repository';
import { PasswordGuesses } from '../../auth/login/password-guesses';
import { CredentialRepository } from '../../auth/passwords/credential.repository';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { EventLog } from '../../events/log/event-log';
import { identifierRemoved } from '../../events/log/event-types';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { ChallengesService } from '../../verification/challenges.service';
import { maskedDestination } from '../../verification/channel';
import { OwnerNotices } from '../../verification/sending/owner-notices';
import { IdempotencyService } from '../idempotency/idempotency.service';
import type { Recovery } from './recovery.entity';
import { RecoveryRepository } from './recovery.repository';

/** A recovery of somebody's account, whose code was right. */
export type OwnedRecovery = Omit<Recovery, 'codeDigest' | 'consumerId' | 'identifierId'> & {
  consumerId: string;
  identifierId: string;
};

/** Gives an account to whoever reads what is sent to its address, and ends every other way into it. Joins a transaction. */
@Injectable()
export class AccountRecovery {
  constructor(
    private readonly recoveries: RecoveryRepository,
    private readonly consumers: ConsumerRepository,
    private readonly credentials: CredentialRepository,
    private readonly identifiers: IdentifiersService,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly logins: LoginRepository,
    private readonly guesses: PasswordGuesses,
    private readonly sessions: SessionsService,
    private readonly challenges: ChallengesService,
    private readonly idempotency: IdempotencyService,
    private readonly notices: OwnerNotices,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks in the order of logins, changes and erasures: the password, the consumer, the identifiers. A login under way
   * has then ended, or waits and finds the new state. If the address was only claimed, what an impostor may have added
   * is removed too, even if it was proven since the recovery began.
   */
  async recover(manager: EntityManager, recovery: OwnedRecovery, passwordHash: string, origin: Origin): Promise<void> {
    const { id, consumerId, claimed, channel, destination } = recovery;
    await this.credentials.lockCredential(manager, consumerId);
    const isThere = await this.consumers.lockWithReferences(manager, consumerId);
    const isEnabled = isThere && (await this.consumers.findDisabledAt(manager, consumerId)) === null;
    const identifiers = isEnabled ? await this.identifiers.recover(manager, recovery, origin) : null;
    if (!identifiers || !(await this.recoveries.deleteRecovery(manager, id))) throw new ApiError('CODE_EXPIRED');

    await this.credentials.setPassword(manager, consumerId, passwordHash);
    await this.recoveries.deleteRecoveriesOf(manager, consumerId);
    await this.challenges.endAll(manager, consumerId);
    if (claimed) await this.externalIdentities.unlink(manager, consumerId, origin);
    await this.idempotency.endAll(manager, consumerId);
    await this.sessions.revokeAll(manager, consumerId, origin);
    const { kept, removed } = identifiers;
    await this.guesses.forget(
      manager,
      consumerId,
      [...kept, ...removed].map(({ value }) => value),
    );
    if (claimed) await this.logins.deleteKnownAddressesOf(manager, consumerId);
    await this.consumers.touch(manager, consumerId, this.clock.now());
    const details = {
      channel,
      destination: maskedDestination(channel, destination),
      claimed,
      removed: kindsOf(removed),
    };
    await this.events.record(
      manager,
      origin,
      { type: 'consumer.recovered', consumerId, details },
      ...removed.filter(({ pending }) => !pending).map(({ kind }) => identifierRemoved(consumerId, kind)),
      { type: 'consumer.recovered', consumerId, data: {} },
    );
    // Notices come last, so that transactions do not wait for each other in a circle.
    for (const former of removed) await this.notices.identifierChanged(manager, former, null, origin);
    await this.notices.passwordRecovered(manager, consumerId, origin);
  }
}

const kindsOf = (identifiers: { kind: string }[]): string[] => identifiers.map(({ kind }) => kind).sort();
