import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import { AppConfig } from '../platform/app-config';
import { Clock } from '../platform/clock';
import { HashingPool } from '../platform/hashing/hashing-pool';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { LOGGER } from '../platform/logger';
import { PROCESS_ROLE, type ProcessRole } from '../platform/process-role';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { AccountsService, ADDRESS_MEMORY_MS } from './accounts.service';
import { AssertionVerifier } from './assertion-verifier';
import { AttemptCounter } from './attempt-counter';
import { ConsumerSessions } from './consumer-sessions.service';
import { Credential } from './credential.entity';
import { CredentialsService } from './credentials.service';
import { CustomerJwtStrategy } from './customer-jwt.strategy';
import { CustomerTokens } from './customer-tokens';
import { ExternalIdentitiesService } from './external-identities.service';
import { ExternalIdentity } from './external-identity.entity';
import { Identifier } from './identifier.entity';
import { IdentifierProofsService } from './identifier-proofs.service';
import { IdentifiersService } from './identifiers.service';
import { JwksController } from './jwks.controller';
import { JwtKeyRotation } from './jwt-key-rotation';
import { JwtKeys } from './jwt-keys';
import { JwtKeysFile } from './jwt-keys-file';
import { KnownAddress } from './known-address.entity';
import { LoginAttempt } from './login-attempt.entity';
import { LoginAttempts } from './login-attempts';
import { LoginController } from './login.controller';
import { LoginService } from './login.service';
import { LogoutController } from './logout.controller';
import { PasswordHasher } from './password-hasher';
import { PasswordPolicy } from './password-policy';
import { ProviderKeys } from './provider-keys';
import { Session } from './session.entity';
import { SessionsService } from './sessions.service';
import { UsedAssertion } from './used-assertion.entity';
import { VerifiedTokens } from './verified-tokens';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      Identifier,
      Credential,
      Session,
      LoginAttempt,
      KnownAddress,
      ExternalIdentity,
      UsedAssertion,
    ]),
    JwtModule.register({}),
    PassportModule,
    TouchpointsModule,
  ],
  controllers: [LoginController, LogoutController, JwksController],
  providers: [
    AccountsService,
    AssertionVerifier,
    AttemptCounter,
    ConsumerSessions,
    CredentialsService,
    CustomerJwtStrategy,
    CustomerTokens,
    ExternalIdentitiesService,
    HashingPool,
    IdentifierProofsService,
    IdentifiersService,
    JwtKeyRotation,
    JwtKeysFile,
    LoginAttempts,
    LoginService,
    PasswordHasher,
    ProviderKeys,
    SessionsService,
    VerifiedTokens,
    {
      provide: JwtKeys,
      inject: [JwtKeysFile, Clock, LOGGER, PROCESS_ROLE],
      useFactory: (file: JwtKeysFile, clock: Clock, logger: Logger, role: ProcessRole) => {
        const keys = new JwtKeys(file, clock, logger);
        return role === 'service' ? keys.open() : keys;
      },
    },
    {
      provide: PasswordPolicy,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => new PasswordPolicy(config.passwordMinLength),
    },
  ],
  exports: [
    ConsumerSessions,
    AssertionVerifier,
    CredentialsService,
    ExternalIdentitiesService,
    IdentifierProofsService,
    IdentifiersService,
    JwtKeyRotation,
    LoginAttempts,
    PasswordHasher,
    PasswordPolicy,
    SessionsService,
    VerifiedTokens,
  ],
})
export class AuthModule {
  constructor(expired: ExpiredRows) {
    expired.register(
      { table: 'session', column: 'expires_at' },
      { table: 'login_attempt', column: 'window_ends_at' },
      { table: 'known_address', column: 'last_login_at', keepMs: ADDRESS_MEMORY_MS },
      { table: 'used_assertion', column: 'expires_at' },
    );
  }
}
