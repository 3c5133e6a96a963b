import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { PasswordHasher } from '../../auth/passwords/password-hasher';
import type { Caller } from '../../auth/sessions/caller';
import { Clock } from '../../platform/clock';
import type { FieldError } from '../../platform/errors/api-error';
import type { Draft } from '../../platform/http/validation/validation';
import type { Channel } from '../../messages/message';
import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import { IDENTIFIER_OF } from '../../verification/channel';
import { phoneViolations } from '../../verification/phone-rules';
import { ConsumerCreationService } from './consumer-creation.service';
import { IdempotencyService } from '../idempotency/idempotency.service';
import type { Lease } from '../idempotency/lease';
import type { Outcome } from '../idempotency/outcome';
import { PasswordRules } from './password-rules';
import { profileViolations } from '../../profiles/profile-rules';
import type { RegisterDto } from './register.dto';
import { VerifiedRegistrationService } from './verified-registration.service';

const PROOF_CHANNEL: Record<ChannelProof, Channel | null> = {
  [ChannelProof.None]: null,
  [ChannelProof.Email]: 'email',
  [ChannelProof.Sms]: 'sms',
};

/** Registers consumers: at once, or where the touchpoint requires a channel proof, by its first step. */
@Injectable()
export class RegistrationService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly verified: VerifiedRegistrationService,
    private readonly creation: ConsumerCreationService,
    private readonly passwords: PasswordRules,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
    private readonly idempotency: IdempotencyService,
  ) {}

  async register(caller: Caller, draft: Draft<RegisterDto>, lease: Lease): Promise<Outcome> {
    const { touchpoint } = caller;
    const { fields } = draft;
    const channel = PROOF_CHANNEL[touchpoint.channelProof];
    const { password, ...registration } = draft.accept([
      ...lease.violations,
      ...this.passwords.violations(touchpoint, fields.password, fields, { optional: channel !== null }),
      ...profileViolations(fields, this.clock.now()),
      ...phoneViolations(touchpoint, fields.phone),
      ...missingAddress(fields, channel),
    ]);
    // Hashing is slow, so no transaction is open yet; and it runs before the address is looked up, to take the same
    // time with and without an owner.
    const passwordHash = typeof password === 'string' ? await this.hasher.hash(touchpoint.code, password) : null;
    if (channel) return this.verified.begin(caller, { registration, passwordHash }, channel, lease);
    return this.dataSource.transaction(async (manager) => {
      const consumer = { registration, passwordHash, by: 'registration' } as const;
      const session = await this.creation.create(manager, caller, consumer);
      return this.idempotency.settle(manager, lease, { status: 201, body: session });
    });
  }
}

function missingAddress(fields: RegisterDto, channel: Channel | null): FieldError[] {
  if (!channel) return [];
  const field = IDENTIFIER_OF[channel];
  return typeof fields[field] === 'string' ? [] : [{ field, code: 'REQUIRED', message: 'is required' }];
}
