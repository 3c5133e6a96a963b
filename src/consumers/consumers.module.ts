import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { VerificationModule } from '../verification/verification.module';
import { ConsumerAccess } from './consumer-access.service';
import { ConsumerCreationService } from './consumer-creation.service';
import { ConsumerErasure } from './consumer-erasure.service';
import { ConsumerFinder } from './consumer-finder';
import { ConsumerRecords } from './consumer-records.service';
import { Consumer } from './consumer.entity';
import { IdempotencyRecord } from './idempotency/idempotency-record.entity';
import { IdempotencyRecords } from './idempotency/idempotency-records.service';
import { IdempotentRequests } from './idempotency/idempotent-requests.service';
import { IdentificationService } from './identification.service';
import { IdentifierChangesService } from './identifier-changes.service';
import { IdentifyController } from './identify.controller';
import { MeController } from './me.controller';
import { PasswordChangeService } from './password-change.service';
import { PasswordRules } from './password-rules';
import { PasswordController } from './password.controller';
import { PendingRegistration } from './pending-registration.entity';
import { ProfilesService } from './profiles.service';
import { RegistrationController } from './registration.controller';
import { RegistrationService } from './registration.service';
import { TransferModule } from './transfer/transfer.module';
import { VerifiedRegistrationService } from './verified-registration.service';

@Module({
  imports: [
    AuthModule,
    VerificationModule,
    TransferModule,
    TypeOrmModule.forFeature([Consumer, IdempotencyRecord, PendingRegistration]),
  ],
  controllers: [IdentifyController, MeController, PasswordController, RegistrationController],
  providers: [
    ConsumerAccess,
    ConsumerCreationService,
    IdempotencyRecords,
    IdempotentRequests,
    ConsumerErasure,
    ConsumerFinder,
    ConsumerRecords,
    IdentificationService,
    IdentifierChangesService,
    PasswordChangeService,
    PasswordRules,
    ProfilesService,
    RegistrationService,
    VerifiedRegistrationService,
  ],
  exports: [ConsumerAccess, ConsumerErasure, ConsumerRecords],
})
export class ConsumersModule {
  constructor(expired: ExpiredRows) {
    expired.register({ table: 'idempotency_record', column: 'expires_at' });
  }
}
