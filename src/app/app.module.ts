import { type CanActivate, type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { ApiDocsModule } from '../api-docs/api-docs.module';
import { ProblemFilter } from './problem.filter';
import { DatabaseProbe } from '../platform/health/database-probe';
import { HealthController } from '../platform/health/health.controller';
import { ExpectationGuard } from '../platform/http/expectation.guard';
import { EventsModule } from '../events/events.module';
import { IntegrationFallbackModule } from '../events/integration-fallback.module';
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
import { WebhookDeliveryModule } from '../events/webhooks/webhook-delivery.module';
import { MessageDeliveryModule } from '../messages/message-delivery.module';

export interface Extras {
  modules?: Type[];
  guards?: Type<CanActivate>[];
}

/**
 * The service: puts the features together, and sets what every request passes before its route, in the order given here.
 * What a feature does is in its own folder, below; nothing stands above. Owns no table.
 */
@Module({})
export class AppModule {
  /** Extras are loaded only where they are on; their guards come after the touchpoint's credential. */
  static forRoot(options: Omit<PlatformOptions, 'role'>, { modules = [], guards = [] }: Extras = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot({ ...options, role: 'service' }),
        // Express tries routes one after another, in this order: what is asked for most comes first.
        ConsumersModule,
        AuthModule,
        ReferenceModule,
        VerificationModule,
        AuditModule,
        EventsModule,
        MessageDeliveryModule,
        WebhookDeliveryModule,
        TouchpointsModule,
        ReservedModule,
        ApiDocsModule,
        ...modules,
        IntegrationFallbackModule,
        FallbackModule,
      ],
      controllers: [HealthController],
      providers: [
        DatabaseProbe,
        { provide: APP_GUARD, useExisting: TouchpointGuard },
        ...guards.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
        { provide: APP_GUARD, useExisting: ReservedGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useClass: ExpectationGuard },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
