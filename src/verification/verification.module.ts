import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { Challenge } from './challenge.entity';
import { ChallengesService } from './challenges.service';
import { CodeSender } from './code-sender';
import { OwnerNotices } from './owner-notices';
import { SendAllowance } from './send-allowance.entity';
import { SendAllowances } from './send-allowances.service';
import { SendLimit } from './send-limit.entity';
import { SEND_MEMORY_MS, SendLimitsService } from './send-limits.service';
import { VerificationsController } from './verifications.controller';
import { VerificationsService } from './verifications.service';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([Challenge, SendAllowance, SendLimit])],
  controllers: [VerificationsController],
  providers: [ChallengesService, CodeSender, OwnerNotices, SendAllowances, SendLimitsService, VerificationsService],
  exports: [ChallengesService, CodeSender, OwnerNotices, SendLimitsService],
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
