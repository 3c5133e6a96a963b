import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { SandboxAssertions } from './assertions.service';
import { Clock } from '../platform/clock';
import { KeptMessages } from './kept-messages';
import { SandboxClock } from './sandbox-clock';
import { SandboxController } from './sandbox.controller';
import { SandboxRepository } from './sandbox.repository';
import { ScenarioGuard } from './scenario.guard';
import { Scenarios } from './scenarios';

/**
 * What partner developers try the API with: fixed codes, answers on demand, readable messages, a clock to move, assertions
 * to sign. It is loaded only with `SANDBOX=true`; all features stand below, and know at most the few rules of
 * `platform/sandbox`. Owns the tables `sandbox_clock`, `sandbox_message` and `sandbox_key`, which it makes itself.
 */
@Module({
  imports: [AuditModule, ConsumersModule, TouchpointsModule],
  controllers: [SandboxController],
  providers: [
    { provide: SandboxClock, useExisting: Clock },
    KeptMessages,
    SandboxAssertions,
    SandboxRepository,
    ScenarioGuard,
    Scenarios,
  ],
  exports: [ScenarioGuard],
})
export class SandboxModule {}
