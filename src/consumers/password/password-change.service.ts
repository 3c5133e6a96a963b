import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { CredentialRepository } from '../../auth/passwords/credential.repository';
import { ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import { PasswordGuesses } from '../../auth/login/password-guesses';
import { PasswordHasher } from '../../auth/passwords/password-hasher';
import { PasswordPolicy } from '../../auth/passwords/password-policy';
import type { SignedInCaller } from '../../auth/sessions/caller';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { EventLog } from '../../events/log/event-log';
import { ApiError } from '../../platform/errors/api-error';
import type { Draft } from '../../platform/http/validation/validation';
import { ChallengesService } from '../../verification/challenges.service';
import { OwnerNotices } from '../../verification/sending/owner-notices';
import { IdempotencyService } from '../idempotency/idempotency.service';
import type { PasswordChangeDto } from './password-change.dto';
import { ProfilesService } from '../profile/profiles.service';

/** Changes passwords. A wrong current password counts as a failed login by every identifier of the consumer. */
@Injectable()
export class PasswordChangeService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly profiles: ProfilesService,
    private readonly credentials: CredentialRepository,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly guesses: PasswordGuesses,
    private readonly passwords: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionsService,
    private readonly idempotency: IdempotencyService,
    private readonly challenges: ChallengesService,
    private readonly notices: OwnerNotices,
    private readonly events: EventLog,
  ) {}

  async change(caller: SignedInCaller, draft: Draft<PasswordChangeDto>): Promise<void> {
    const { touchpoint, session, origin } = caller;
    const { consumerId } = session;
    const { profile } = await this.profiles.readWhileLive({ principal: session });
    const { newPassword: wanted } = draft.fields as { newPassword: unknown };
    const { currentPassword, newPassword, endExternalIdentities } = draft.accept(
      typeof wanted === 'string' ? this.passwords.violations('newPassword', wanted, profile) : [],
    );
    const credential = await this.credentials.findCredential(consumerId);
    if (!credential) throw new ApiError('PASSWORD_NOT_SET');

    const otherIdentifiers = [profile.email, profile.phone].filter((value) => value !== null);
    const guess = await this.guesses.begin(caller, { kind: 'customerId', value: consumerId }, otherIdentifiers);
    try {
      const { matches } = await this.guesses.compare(guess, currentPassword, credential.passwordHash);
      if (!matches) throw new ApiError('CURRENT_PASSWORD_INVALID');
      await this.guesses.settle(guess);
    } finally {
      this.guesses.end(guess);
    }
    const passwordHash = await this.hasher.hash(touchpoint.code, newPassword);
    await this.dataSource.transaction(async (manager) => {
      // Locks the password first, as a login does.
      const changed = await this.credentials.changePassword(manager, credential, passwordHash);
      await this.sessions.lockConsumer(manager, session);
      if (!changed) throw new ApiError('CURRENT_PASSWORD_INVALID');
      if (endExternalIdentities) await this.externalIdentities.unlink(manager, consumerId, origin);
      await this.idempotency.endAll(manager, consumerId);
      await this.sessions.revokeOthers(manager, session, origin);
      await this.challenges.endAll(manager, consumerId);
      await this.notices.passwordChanged(manager, consumerId, origin);
      const act = { type: 'password.changed', consumerId, details: {} } as const;
      await this.events.record(manager, origin, act, { type: 'consumer.password-changed', consumerId, data: {} });
    });
  }
}
