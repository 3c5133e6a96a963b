import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '../platform/config';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { RedisConnection } from '../platform/redis';
import { IdentityProvider } from './identity-providers/identity-provider.entity';
import { IdentityProviderRepository } from './identity-providers/identity-provider.repository';
import { IdentityProvidersService } from './identity-providers/identity-providers.service';
import { rateLimits, RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitStorage } from './rate-limit/rate-limit.storage';
import { TouchpointCredentials } from './touchpoint-credentials';
import { TouchpointKey } from './touchpoint-key.entity';
import { Touchpoint } from './touchpoint.entity';
import { TouchpointRepository } from './touchpoint.repository';
import { TouchpointGuard } from './touchpoint.guard';
import { TouchpointLookup } from './touchpoint-lookup';
import { TouchpointsService } from './administration/touchpoints.service';
import { AuditModule } from '../audit/audit.module';

/**
 * Which client application calls, by its code and key, how often it may, and whom it trusts to say who a consumer is; and
 * how administrators change that. Who the consumer is, is not here. Below stand `audit` and the platform, above all that
 * answers requests. Owns the tables `touchpoint`, `touchpoint_key` and `identity_provider`.
 */
@Module({
  imports: [
    AuditModule,
    TypeOrmModule.forFeature([Touchpoint, TouchpointKey, IdentityProvider]),
    ThrottlerModule.forRootAsync({
      inject: [AppConfig, RedisConnection],
      useFactory: (config: AppConfig, redis: RedisConnection) => rateLimits(config, new RateLimitStorage(redis)),
    }),
  ],
  providers: [
    TouchpointRepository,
    IdentityProviderRepository,
    TouchpointLookup,
    TouchpointCredentials,
    TouchpointGuard,
    RateLimitGuard,
    TouchpointsService,
    IdentityProvidersService,
  ],
  exports: [TouchpointCredentials, TouchpointGuard, RateLimitGuard, TouchpointsService, IdentityProvidersService],
})
export class TouchpointsModule {
  constructor(expired: ExpiredRows) {
    expired.register({ table: 'touchpoint_key', column: 'expires_at' });
  }
}
