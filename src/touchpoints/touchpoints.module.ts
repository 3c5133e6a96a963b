import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '../platform/settings/config';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { RedisConnection } from '../platform/redis/redis';
import { TouchpointAdministrationModule } from './administration/touchpoint-administration.module';
import { rateLimits, RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitStorage } from './rate-limit/rate-limit.storage';
import { TouchpointCredentials } from './touchpoint-credentials';
import { TouchpointGuard } from './touchpoint.guard';
import { AuditModule } from '../audit/audit.module';

/**
 * Which client application calls, by its code and key, how often it may, and whom it trusts to say who a consumer is;
 * and how administrators change that. It does not know who the consumer is. Below stand `audit` and the platform, above
 * all that answers requests. Owns the tables `touchpoint`, `touchpoint_key` and `identity_provider`.
 */
@Module({
  imports: [
    AuditModule,
    TouchpointAdministrationModule,
    ThrottlerModule.forRootAsync({
      inject: [AppConfig, RedisConnection],
      useFactory: (config: AppConfig, redis: RedisConnection) => rateLimits(config, new RateLimitStorage(redis)),
    }),
  ],
  providers: [TouchpointCredentials, TouchpointGuard, RateLimitGuard],
  exports: [TouchpointCredentials, TouchpointGuard, RateLimitGuard, TouchpointAdministrationModule],
})
export class TouchpointsModule {
  constructor(expired: ExpiredRows) {
    expired.register({ table: 'touchpoint_key', column: 'expires_at' });
  }
}
