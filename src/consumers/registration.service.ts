import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { PasswordHasher } from '../auth/password-hasher';
import type { SessionDto } from '../auth/session.dto';
import type { Origin } from '../platform/audit/origin';
import { Clock } from '../platform/clock';
import type { FieldError } from '../platform/errors/api-error';
import { validBody } from '../platform/http/validation';
import type { Channel } from '../platform/messages/message';
import { ChannelProof, type Touchpoint } from '../touchpoints/touchpoint.entity';
import { IDENTIFIER_OF } from '../verification/channel';
import { ConsumerCreationService } from './consumer-creation.service';
import { PasswordRules } from './password-rules';
import { profileViolations } from './profile-rules';
import { RegisterDto } from './register.dto';
import type { RegistrationStartedDto } from './registration.dto';
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
  ) {}

  async register(touchpoint: Touchpoint, body: object, origin: Origin): Promise<SessionDto | RegistrationStartedDto> {
    const channel = PROOF_CHANNEL[touchpoint.channelProof];
    const { password, ...registration } = validBody(RegisterDto, body, (draft) => [
      ...this.passwords.violations(touchpoint, draft.password, draft, { optional: channel !== null }),
      ...profileViolations(draft, this.clock.now()),
      ...missingAddress(draft, channel),
    ]);
    if (channel) return this.verified.begin(touchpoint, registration, channel, origin);
    // Hashing is slow: no transaction is open meanwhile.
    const passwordHash = typeof password === 'string' ? await this.hasher.hash(password) : null;
    return this.dataSource.transaction((manager) =>
      this.creation.create(manager, touchpoint, { registration, passwordHash, by: 'registration' }, origin),
    );
  }
}

function missingAddress(draft: RegisterDto, channel: Channel | null): FieldError[] {
  if (!channel) return [];
  const field = IDENTIFIER_OF[channel];
  return typeof draft[field] === 'string' ? [] : [{ field, code: 'REQUIRED', message: 'is required' }];
}
