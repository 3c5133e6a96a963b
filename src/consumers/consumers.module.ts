import { Module } from '@nestjs/common';
import { ConsumerReadsController } from './integration/consumer-reads.controller';
import { ConsumerReadsService } from './integration/consumer-reads.service';
import { EventsModule } from '../events/events.module';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { VerificationModule } from '../verification/verification.module';
import { ConsumerAccess } from './administration/consumer-access.service';
import { ConsumerCreationService } from './registration/consumer-creation.service';
import { ConsumerChallenges } from './administration/consumer-challenges';
import { ConsumerErasure } from './administration/consumer-erasure.service';
import { ConsumerFinder } from './administration/consumer-finder';
import { ConsumerRecords } from './administration/consumer-records.service';
import { IdempotencyRecord } from './idempotency/idempotency-record.entity';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor';
import { IdempotencyRecordRepository } from './idempotency/idempotency-record.repository';
import { IdempotencyService } from './idempotency/idempotency.service';
import { LeaseRelease } from './idempotency/lease-release';
import { TrustedIssuer } from './identify/trusted-issuer';
import { IdentificationService } from './identify/identification.service';
import { IdentifierChangesService } from './profile/identifier-changes.service';
import { IdentifyController } from './identify/identify.controller';
import { MeController } from './profile/me.controller';
import { PasswordChangeService } from './password/password-change.service';
import { PasswordRules } from './registration/password-rules';
import { PasswordController } from './password/password.controller';
import { PendingRegistration } from './registration/pending-registration.entity';
import { ProfileRepository } from './profile/profile.repository';
import { PendingRegistrationRepository } from './registration/pending-registration.repository';
import { ProfilesService } from './profile/profiles.service';
import { AccountRecovery } from './recovery/account-recovery';
import { RecoveryController } from './recovery/recovery.controller';
import { Recovery } from './recovery/recovery.entity';
import { RecoveryRepository } from './recovery/recovery.repository';
import { RecoveryService } from './recovery/recovery.service';
import { RegistrationController } from './registration/registration.controller';
import { RegistrationService } from './registration/registration.service';
import { VerifiedRegistrationService } from './registration/verified-registration.service';
import { AuditModule } from '../audit/audit.module';
import { MessagesModule } from '../messages/messages.module';
import { ProfilesModule } from '../profiles/profiles.module';

/**
 * The flows of consumers: to register, to identify, to read and change a profile, to change or recover the password;
 * what administrators do with one consumer, and what subscribers see of one. The consumer's row is in `profiles`, how
 * somebody proves who they are in `auth`, and codes and notices in `verification`, all below; above stand only the app
 * and the commands. Owns the tables `pending_registration`, `recovery` and `idempotency_record`.
 */
@Module({
  imports: [
    AuditModule,
    EventsModule,
    MessagesModule,
    ProfilesModule,
    AuthModule,
    VerificationModule,
    TypeOrmModule.forFeature([IdempotencyRecord, PendingRegistration, Recovery]),
  ],
  controllers: [
    ConsumerReadsController,
    IdentifyController,
    MeController,
    PasswordController,
    RecoveryController,
    RegistrationController,
  ],
  providers: [
    AccountRecovery,
    ConsumerAccess,
    ConsumerCreationService,
    IdempotencyInterceptor,
    IdempotencyRecordRepository,
    IdempotencyService,
    LeaseRelease,
    TrustedIssuer,
    ConsumerChallenges,
    ConsumerErasure,
    ConsumerFinder,
    ConsumerReadsService,
    ConsumerRecords,
    IdentificationService,
    IdentifierChangesService,
    PasswordChangeService,
    PasswordRules,
    PendingRegistrationRepository,
    ProfileRepository,
    ProfilesService,
    RecoveryRepository,
    RecoveryService,
    RegistrationService,
    VerifiedRegistrationService,
  ],
  exports: [ConsumerAccess, ConsumerErasure, ConsumerFinder, ConsumerRecords],
})
export class ConsumersModule {
  constructor(expired: ExpiredRows) {
    expired.register(
      { table: 'idempotency_record', column: 'expires_at' },
      { table: 'recovery', column: 'expires_at' },
    );
  }
}
