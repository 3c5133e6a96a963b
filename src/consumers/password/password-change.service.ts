import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { lockConsumer } from '../../auth/sessions/consumer-lock';
import { CredentialsService } from '../../auth/passwords/credentials.service';
import { ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import { LoginAttempts } from '../../auth/login/login-attempts';
import { PasswordHasher } from '../../auth/passwords/password-hasher';
import { PasswordPolicy } from '../../auth/passwords/password-policy';
import type { SessionPrincipal } from '../../auth/sessions/session-principal';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { ApiError } from '../../platform/errors/api-error';
import { validBody } from '../../platform/http/validation';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { ChallengesService } from '../../verification/challenges.service';
import { OwnerNotices } from '../../verification/sending/owner-notices';
import { IdempotencyRecords } from '../idempotency/idempotency-records.service';
import { PasswordChangeDto } from './password-change.dto';
import { ProfilesService } from '../profile/profiles.service';

/** Changes passwords. A wrong current password counts as a failed login by every identifier of the consumer. */
@Injectable()
export class PasswordChangeService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly profiles: ProfilesService,
    private readonly credentials: CredentialsService,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly attempts: LoginAttempts,
    private readonly passwords: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionsService,
    private readonly idempotency: IdempotencyRecords,
    private readonly challenges: ChallengesService,
    private readonly notices: OwnerNotices,
    private readonly audit: AuditService,
  ) {}

  async change(
    touchpoint: Touchpoint,
    customer: SessionPrincipal,
    body: object,
    address: string | null,
    origin: Origin,
  ): Promise<void> {
    const { consumerId } = customer;
    const { profile } = await this.profiles.read(customer);
    const dto = validBody(PasswordChangeDto, body, ({ newPassword }) =>
      typeof (newPassword as unknown) === 'string'
        ? this.passwords.violations('newPassword', newPassword, profile)
        : [],
    );
    const credential = await this.credentials.find(consumerId);
    if (!credential) throw new ApiError('PASSWORD_NOT_SET');

    const otherIdentifiers = [profile.email, profile.phone].filter((value) => value !== null);
    const { matches } = await this.attempts.guess(
      {
        ...{ identifier: { kind: 'customerId', value: consumerId }, otherIdentifiers },
        ...{ touchpointId: touchpoint.id, address },
      },
      async (ifRight) => {
        const verification = await this.hasher.verify(touchpoint.code, dto.currentPassword, credential.passwordHash);
        if (verification.matches) await this.attempts.settle(ifRight);
        return verification;
      },
    );
    if (!matches) throw new ApiError('CURRENT_PASSWORD_INVALID');
    const passwordHash = await this.hasher.hash(touchpoint.code, dto.newPassword);
    await this.dataSource.transaction(async (manager) => {
      // The password first, as a login has it.
      const changed = await this.credentials.change(manager, credential, passwordHash);
      await lockConsumer(manager, this.sessions.livenessOf(customer));
      if (!changed) throw new ApiError('CURRENT_PASSWORD_INVALID');
      if (dto.endExternalIdentities) await this.externalIdentities.unlink(manager, consumerId, origin);
      await this.idempotency.endAll(manager, consumerId);
      await this.sessions.revokeOthers(manager, customer);
      await this.challenges.endAll(manager, consumerId);
      await this.notices.passwordChanged(manager, consumerId, origin);
      await this.audit.record(manager, origin, { type: 'password.changed', consumerId, details: {} });
    });
  }
}
