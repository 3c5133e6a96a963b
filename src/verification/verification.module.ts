import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { Challenge } from './challenge.entity';
import { ChallengeRepository } from './challenge.repository';
import { ChallengesService } from './challenges.service';
import { OneTimeCodes } from './one-time-codes';
import { CodeSender } from './sending/code-sender';
import { OwnerNotices } from './sending/owner-notices';
import { SendAllowance } from './sending/send-allowance.entity';
import { SendAllowanceRepository } from './sending/send-allowance.repository';
import { SendAllowances } from './sending/send-allowances.service';
import { SendLimit } from './sending/send-limit.entity';
import { SendLimitRepository } from './sending/send-limit.repository';
import { SEND_MEMORY_MS, SendLimitsService } from './sending/send-limits.service';
import { VerificationsController } from './verifications.controller';
import { VerificationsService } from './verifications.service';
import { AuditModule } from '../audit/audit.module';
import { MessagesModule } from '../messages/messages.module';
import { ProfilesModule } from '../profiles/profiles.module';

/**
 * Codes that prove an address, the limits of what is sent, and notices to owners of accounts. Messages are written and
 * delivered below; `auth` knows whose address is proven. Below stand `auth`, `profiles`, `touchpoints` and `messages`,
 * above the flows in `consumers`. Owns the tables `challenge`, `send_limit` and `send_allowance`.
 */
@Module({
  imports: [
    AuditModule,
    MessagesModule,
    ProfilesModule,
    AuthModule,
    TypeOrmModule.forFeature([Challenge, SendAllowance, SendLimit]),
  ],
  controllers: [VerificationsController],
  providers: [
    ChallengeRepository,
    SendAllowanceRepository,
    SendLimitRepository,
    ChallengesService,
    CodeSender,
    OneTimeCodes,
    OwnerNotices,
    SendAllowances,
    SendLimitsService,
    VerificationsService,
  ],
  exports: [
    ChallengeRepository,
    ChallengesService,
    CodeSender,
    OneTimeCodes,
    OwnerNotices,
    SendAllowances,
    SendLimitsService,
  ],
})
export class VerificationModule {
  constructor(expired: ExpiredRows) {
    expired.register(
      { table: 'challenge', column: 'expires_at' },
      { table: 'send_allowance', column: 'ends_at' },
      { table: 'send_limit', column: 'last_sent_at', keepMs: SEND_MEMORY_MS },
    );
  }
}
