import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '../platform/app-config';
import { HashingPool } from '../platform/hashing/hashing-pool';
import { AccountsService } from './accounts.service';
import { AttemptCounter } from './attempt-counter';
import { Credential } from './credential.entity';
import { CredentialsService } from './credentials.service';
import { CustomerJwtStrategy } from './customer-jwt.strategy';
import { CustomerTokens } from './customer-tokens';
import { Identifier } from './identifier.entity';
import { IdentifiersService } from './identifiers.service';
import { JwksController } from './jwks.controller';
import { JwtKeys } from './jwt-keys';
import { KnownAddress } from './known-address.entity';
import { LoginAttempt } from './login-attempt.entity';
import { LoginAttempts } from './login-attempts';
import { LoginController } from './login.controller';
import { LoginService } from './login.service';
import { LogoutController } from './logout.controller';
import { PasswordHasher } from './password-hasher';
import { PasswordPolicy } from './password-policy';
import { Session } from './session.entity';
import { SessionsService } from './sessions.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([Identifier, Credential, Session, LoginAttempt, KnownAddress]),
    JwtModule.register({}),
    PassportModule,
  ],
  controllers: [LoginController, LogoutController, JwksController],
  providers: [
    AccountsService,
    AttemptCounter,
    CredentialsService,
    CustomerJwtStrategy,
    CustomerTokens,
    HashingPool,
    IdentifiersService,
    JwtKeys,
    LoginAttempts,
    LoginService,
    PasswordHasher,
    SessionsService,
    {
      provide: PasswordPolicy,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => new PasswordPolicy(config.passwordMinLength),
    },
  ],
  exports: [
    AccountsService,
    CredentialsService,
    IdentifiersService,
    LoginAttempts,
    PasswordHasher,
    PasswordPolicy,
    SessionsService,
  ],
})
export class AuthModule {}
