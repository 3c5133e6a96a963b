import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import { AppConfig } from '../platform/settings/config';
import { Clock } from '../platform/clock';
import { HashingPool } from './passwords/hashing/hashing-pool';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { LOGGER } from '../platform/logger';
import { PROCESS_ROLE, type ProcessRole } from '../platform/process-role';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { CodeGuesses } from './login/code-guesses';
import { LoginRepository } from './login/login.repository';
import { ADDRESS_MEMORY_MS, PasswordGuesses } from './login/password-guesses';
import { SessionRepository } from './sessions/session.repository';
import { AssertionVerifier } from './assertions/assertion-verifier';
import { Credential } from './passwords/credential.entity';
import { CredentialRepository } from './passwords/credential.repository';
import { CustomerJwtStrategy } from './sessions/tokens/customer-jwt.strategy';
import { CustomerTokens } from './sessions/tokens/customer-tokens';
import { ExternalIdentitiesService } from './assertions/external-identities.service';
import { ExternalIdentity } from './assertions/external-identity.entity';
import { ExternalIdentityRepository } from './assertions/external-identity.repository';
import { Identifier } from './identifiers/identifier.entity';
import { IdentifierRepository } from './identifiers/identifier.repository';
import { IdentifiersService } from './identifiers/identifiers.service';
import { JwksController } from './keys/jwks.controller';
import { JwtKeyRotation } from './keys/jwt-key-rotation';
import { JwtKeys } from './keys/jwt-keys';
import { JwtKeysFile } from './keys/jwt-keys-file';
import { KnownAddress } from './login/known-address.entity';
import { LoginAttempt } from './login/login-attempt.entity';
import { LoginController } from './login/login.controller';
import { LoginService } from './login/login.service';
import { LogoutController } from './sessions/logout.controller';
import { SessionUses } from './sessions/session-uses';
import { SessionsController } from './sessions/sessions.controller';
import { PasswordHasher } from './passwords/password-hasher';
import { PasswordPolicy } from './passwords/password-policy';
import { ProviderKeys } from './assertions/provider-keys';
import { Session } from './sessions/session.entity';
import { SessionsService } from './sessions/sessions.service';
import { UsedAssertion } from './assertions/used-assertion.entity';
import { VerifiedTokens } from './sessions/tokens/verified-tokens';
import { ImportedAccounts } from './imported-accounts';
import { AuditModule } from '../audit/audit.module';
import { ProfilesModule } from '../profiles/profiles.module';

/**
 * How a consumer proves who they are: identifiers, passwords, sessions and their tokens, logins, and the assertions of
 * trusted issuers. Sends no message and makes no consumer; the flows above, in `verification` and `consumers`, do. Below
 * stand the consumer's row in `profiles`, and the touchpoints. Owns the tables `identifier`, `credential`, `session`,
 * `login_attempt`, `known_address`, `external_identity` and `used_assertion`.
 */
@Module({
  imports: [
    AuditModule,
    EventsModule,
    ProfilesModule,
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
  controllers: [LoginController, LogoutController, SessionsController, JwksController],
  providers: [
    AssertionVerifier,
    CodeGuesses,
    CredentialRepository,
    CustomerJwtStrategy,
    CustomerTokens,
    ExternalIdentitiesService,
    ExternalIdentityRepository,
    HashingPool,
    IdentifierRepository,
    IdentifiersService,
    ImportedAccounts,
    JwtKeyRotation,
    JwtKeysFile,
    LoginRepository,
    LoginService,
    PasswordGuesses,
    SessionRepository,
    PasswordHasher,
    ProviderKeys,
    SessionsService,
    SessionUses,
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
    AssertionVerifier,
    ProviderKeys,
    CodeGuesses,
    CredentialRepository,
    ExternalIdentitiesService,
    ExternalIdentityRepository,
    IdentifierRepository,
    IdentifiersService,
    ImportedAccounts,
    JwtKeyRotation,
    LoginRepository,
    PasswordGuesses,
    SessionRepository,
    PasswordHasher,
    PasswordPolicy,
    SessionsService,
    SessionUses,
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
