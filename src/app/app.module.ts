import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { ErrorPagesController } from '../api-docs/pages/error-pages.controller';
import { GettingStartedController } from '../api-docs/pages/getting-started.controller';
import { ProblemFilter } from './problem.filter';
import { DatabaseProbe } from '../platform/health/database-probe';
import { HealthController } from '../platform/health/health.controller';
import { ExpectationGuard } from '../platform/http/expectation.guard';
import { FallbackModule } from '../platform/http/fallback/fallback.module';
import { ValidationPipe } from '../platform/http/validation/validation.pipe';
import { PlatformModule, type PlatformOptions } from '../platform/platform.module';
import { ReferenceModule } from '../reference/reference.module';
import { ReservedGuard } from '../reserved/reserved.guard';
import { ReservedModule } from '../reserved/reserved.module';
import { RateLimitGuard } from '../touchpoints/rate-limit/rate-limit.guard';
import { TouchpointGuard } from '../touchpoints/touchpoint.guard';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { VerificationModule } from '../verification/verification.module';
import { AuditModule } from '../audit/audit.module';
import { MessageDeliveryModule } from '../messages/message-delivery.module';

/** The service. Requests pass the guards in the order given here, then those of their route. */
@Module({})
export class AppModule {
  /** `extras` are modules that are loaded only where they are on. */
  static forRoot(options: Omit<PlatformOptions, 'role'>, extras: Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot({ ...options, role: 'service' }),
        AuditModule,
        MessageDeliveryModule,
        TouchpointsModule,
        ReservedModule,
        ReferenceModule,
        AuthModule,
        VerificationModule,
        ConsumersModule,
        FallbackModule,
        ...extras,
      ],
      controllers: [HealthController, ErrorPagesController, GettingStartedController],
      providers: [
        DatabaseProbe,
        { provide: APP_GUARD, useExisting: TouchpointGuard },
        { provide: APP_GUARD, useExisting: ReservedGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useClass: ExpectationGuard },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
