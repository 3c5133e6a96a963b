import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { isUUID } from 'class-validator';
import type { DataSource } from 'typeorm';
import { IdentifiersService } from '../../auth/identifiers/identifiers.service';
import { PasswordHasher } from '../../auth/passwords/password-hasher';
import { AuditService } from '../../audit/audit.service';
import type { Caller } from '../../auth/sessions/caller';
import { ApiError } from '../../platform/errors/api-error';
import type { Draft } from '../../platform/http/validation/validation';
import { AuthenticationMode, type Touchpoint } from '../../touchpoints/touchpoint.entity';
import { ChallengesService } from '../../verification/challenges.service';
import type { Channel } from '../../messages/message';
import { IDENTIFIER_OF } from '../../verification/channel';
import { CodeSender } from '../../verification/sending/code-sender';
import { ConsumerCreationService } from './consumer-creation.service';
import { IdempotencyService } from '../idempotency/idempotency.service';
import type { Lease } from '../idempotency/lease';
import type { Outcome } from '../idempotency/outcome';
import { PasswordRules } from './password-rules';
import type { PendingRegistration } from './pending-registration.entity';
import { PendingRegistrationRepository } from './pending-registration.repository';
import type { CompleteRegistrationDto } from './registration.dto';

/** Registers consumers who prove a channel first: nothing is a consumer before the proof. */
@Injectable()
export class VerifiedRegistrationService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly registrations: PendingRegistrationRepository,
    private readonly identifiers: IdentifiersService,
    private readonly sender: CodeSender,
    private readonly challenges: ChallengesService,
    private readonly creation: ConsumerCreationService,
    private readonly passwords: PasswordRules,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** Sends the code, or tells the owner of an address that has one; the answer does not say which. */
  async begin(
    caller: Caller,
    { registration, passwordHash }: Pick<PendingRegistration, 'registration' | 'passwordHash'>,
    channel: Channel,
    lease: Lease,
  ): Promise<Outcome> {
    const kind = IDENTIFIER_OF[channel];
    const address = String(registration[kind]);
    return this.dataSource.transaction(async (manager) => {
      const hasOwner = await this.identifiers.isVerified(manager, kind, address);
      const subject = { touchpointId: caller.touchpoint.id };
      const locale = registration.locale ?? null;
      const request = { caller, subject, channel, address, locale, hasOwner };
      const { challengeId, ...sent } = await this.sender.send(manager, request);
      await this.registrations.insertPendingRegistration(manager, { challengeId, registration, passwordHash });
      const details = { channel, destination: sent.destination };
      await this.audit.record(manager, caller.origin, { type: 'registration.begun', details });
      const body = { registrationId: challengeId, ...sent };
      const outcome = await this.idempotency.settle(manager, lease, { status: 202, body });
      await this.sender.countSend(manager, request);
      return outcome;
    });
  }

  /**
   * A rejected password does not use up the code, and every guess is counted. An unknown registration requires no
   * password: it is `CODE_EXPIRED`.
   */
  async complete(caller: Caller, draft: Draft<CompleteRegistrationDto>, lease: Lease): Promise<Outcome> {
    const { touchpoint } = caller;
    const { fields } = draft;
    const pending = isUUID(fields.registrationId)
      ? await this.registrations.findPendingRegistration(touchpoint.id, fields.registrationId)
      : null;
    const { registrationId, code, password } = draft.accept([
      ...lease.violations,
      ...this.passwords.violations(touchpoint, fields.password, pending?.registration ?? {}, {
        optional: pending?.passwordHash !== null,
      }),
    ]);
    if (!pending) throw new ApiError('CODE_EXPIRED');
    const { id, channel } = await this.challenges.guess({ id: registrationId, touchpointId: touchpoint.id }, code);
    const passwordHash = await this.passwordHash(touchpoint, password, pending);
    return this.dataSource.transaction(async (manager) => {
      await this.challenges.consume(manager, id);
      const { registration } = pending;
      const proven = IDENTIFIER_OF[channel];
      const consumer = { registration, passwordHash, proven, by: 'proof' } as const;
      const session = await this.creation.create(manager, caller, consumer);
      return this.idempotency.settle(manager, lease, { status: 201, body: session });
    });
  }

  /** A touchpoint that has changed to OTP since the first step stores no password. */
  private async passwordHash(
    { code, authenticationMode }: Touchpoint,
    password: string | null | undefined,
    { passwordHash }: PendingRegistration,
  ): Promise<string | null> {
    if (typeof password === 'string') return this.hasher.hash(code, password);
    return authenticationMode === AuthenticationMode.Password ? passwordHash : null;
  }
}
