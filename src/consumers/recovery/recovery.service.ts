import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { isUUID } from 'class-validator';
import type { DataSource } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { IdentifierName } from '../../auth/identifiers/identifier.repository';
import { parseLoginIdentifier } from '../../auth/identifiers/login-identifier';
import { CodeGuesses } from '../../auth/login/code-guesses';
import { PasswordHasher } from '../../auth/passwords/password-hasher';
import { PasswordPolicy } from '../../auth/passwords/password-policy';
import type { Caller } from '../../auth/sessions/caller';
import { Clock } from '../../platform/clock';
import { ApiError, type FieldError, validationFailed } from '../../platform/errors/api-error';
import type { Draft } from '../../platform/http/validation/validation';
import { Metrics } from '../../platform/metrics/metrics';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { CHANNEL_OF, maskedDestination } from '../../verification/channel';
import { GUESSES, OneTimeCodes } from '../../verification/one-time-codes';
import { phoneViolations } from '../../verification/phone-rules';
import { CodeSender } from '../../verification/sending/code-sender';
import { IdempotencyService } from '../idempotency/idempotency.service';
import type { Lease } from '../idempotency/lease';
import type { Outcome } from '../idempotency/outcome';
import { ProfilesService } from '../profile/profiles.service';
import { AccountRecovery, type OwnedRecovery } from './account-recovery';
import { RecoveryMetrics } from './recovery-metrics';
import type { PasswordForgotDto, PasswordResetDto } from './recovery.dto';
import { RecoveryRepository } from './recovery.repository';

/** More than a registration's: whoever asks can choose among all accounts, and try a few codes at each. */
const CODE_DIGITS = 8;

/** Lets a consumer who has forgotten the password choose another, by a code that is sent to a known address. */
@Injectable()
export class RecoveryService {
  private readonly metrics: RecoveryMetrics | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly recoveries: RecoveryRepository,
    private readonly codes: OneTimeCodes,
    private readonly sender: CodeSender,
    private readonly guesses: CodeGuesses,
    private readonly profiles: ProfilesService,
    private readonly passwords: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly account: AccountRecovery,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.metrics = metrics?.of(RecoveryMetrics);
  }

  /** Does the same for every address; without an account only the message goes to nobody. */
  async begin(caller: Caller, draft: Draft<PasswordForgotDto>, lease: Lease): Promise<Outcome> {
    const { touchpoint, origin } = caller;
    const { identifier } = draft.accept([...lease.violations, ...unreachable(touchpoint, draft.fields.identifier)]);
    const { kind, value: address } = parseLoginIdentifier(identifier) as IdentifierName;
    const channel = CHANNEL_OF[kind];
    const { id, code, codeDigest, expiresAt } = this.codes.make(CODE_DIGITS, address);
    const outcome = await this.dataSource.transaction(async (manager) => {
      const opened = { id, touchpointId: touchpoint.id, channel, destination: address, codeDigest, expiresAt };
      const recipient = await this.recoveries.open(manager, opened, { kind, value: address });
      const message = { caller, channel, address, code, recipient };
      const resendAfter = await this.sender.sendRecoveryCode(manager, message);
      const destination = maskedDestination(channel, address);
      await this.audit.record(manager, origin, {
        ...{ type: 'recovery.begun', ...(recipient && { consumerId: recipient.consumerId }) },
        details: { channel, destination, codeSent: recipient !== null },
      });
      const answer = { expiresAt: expiresAt.toISOString(), resendAfter: resendAfter.toISOString() };
      const started = { status: 202, body: { recoveryId: id, channel, destination, ...answer } } as const;
      const settled = await this.idempotency.settle(manager, lease, started);
      const subject = { touchpointId: touchpoint.id };
      await this.sender.countSend(manager, { caller, subject, channel, address });
      return settled;
    });
    this.metrics?.begin(touchpoint.code);
    return outcome;
  }

  /** A rejected password does not spend the code; every guess is counted. */
  async reset(caller: Caller, draft: Draft<PasswordResetDto>, lease: Lease): Promise<Outcome> {
    const { touchpoint, origin } = caller;
    const { recoveryId, code, newPassword } = draft.accept([
      ...lease.violations,
      ...this.violations(draft.fields.newPassword),
    ]);
    const recovery = await this.guess(caller, recoveryId, code);
    try {
      await this.judgeForOwner(newPassword, recovery);
      const passwordHash = await this.hasher.hash(touchpoint.code, newPassword);
      const outcome = await this.dataSource.transaction(async (manager) => {
        await this.account.recover(manager, recovery, passwordHash, origin);
        return this.idempotency.settle(manager, lease, { status: 204 });
      });
      this.metrics?.finish(touchpoint.code);
      return outcome;
    } catch (error) {
      await this.recoveries.takeBackGuess(recovery.id).catch(() => undefined);
      throw error;
    }
  }

  /** A guess is counted and committed before it is compared, also at a recovery without a consumer. */
  private async guess({ touchpoint, consumerIp }: Caller, recoveryId: string, code: string): Promise<OwnedRecovery> {
    const key = { id: recoveryId, touchpointId: touchpoint.id };
    const counted = await this.guesses.begin(touchpoint.id, consumerIp);
    const recovery = isUUID(recoveryId) ? await this.recoveries.countGuess(key, GUESSES, this.clock.now()) : null;
    if (recovery) {
      const { id, codeDigest, consumerId, identifierId, ...rest } = recovery;
      const isRight = this.codes.isRight(id, code, codeDigest) && consumerId !== null && identifierId !== null;
      if (!isRight) {
        this.metrics?.guessWrong(touchpoint.code);
        const reason = consumerId === null ? 'no code was sent' : 'wrong code';
        throw new ApiError('CODE_INVALID', { refusal: { reason, ...(consumerId !== null && { consumerId }) } });
      }
      await this.guesses.takeBack(counted);
      return { ...rest, id, consumerId, identifierId };
    }
    await this.guesses.takeBack(counted);
    const isOpen = isUUID(recoveryId) && (await this.recoveries.isOpen(key, this.clock.now()));
    throw new ApiError(isOpen ? 'CODE_ATTEMPTS_EXCEEDED' : 'CODE_EXPIRED');
  }

  /** What a stranger may know of the password: names and addresses are compared only after the right code. */
  private violations(newPassword: unknown): FieldError[] {
    return typeof newPassword === 'string' ? this.passwords.violations('newPassword', newPassword, {}) : [];
  }

  private async judgeForOwner(newPassword: string, { consumerId }: OwnedRecovery): Promise<void> {
    const profile = await this.profiles.find(this.dataSource.manager, consumerId);
    if (!profile) throw new ApiError('CODE_EXPIRED');
    const violations = this.passwords.violations('newPassword', newPassword, profile);
    if (violations.length > 0) throw validationFailed(violations);
  }
}

/** Why the touchpoint does not send to this phone number, whoever has it. */
function unreachable(touchpoint: Touchpoint, identifier: unknown): FieldError[] {
  if (typeof identifier !== 'string') return [];
  const { kind, value } = parseLoginIdentifier(identifier);
  return kind === 'phone' ? phoneViolations(touchpoint, value).map((error) => ({ ...error, field: 'identifier' })) : [];
}
