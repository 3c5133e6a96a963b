import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ApiError } from '../platform/errors/api-error';
import type { ApiRequest } from '../platform/http/api-request';
import { RateLimitGuard } from '../touchpoints/rate-limit/rate-limit.guard';
import type { TouchpointRequest } from '../touchpoints/touchpoint-request';
import { SandboxClock } from './sandbox-clock';
import { SandboxRepository } from './sandbox.repository';
import { SCENARIO, Scenarios } from './scenarios';

/** Sets the touchpoint's time, and plays the scenario that was asked for before anything else is judged. */
@Injectable()
export class ScenarioGuard implements CanActivate {
  constructor(
    private readonly clock: SandboxClock,
    private readonly sandbox: SandboxRepository,
    private readonly scenarios: Scenarios,
    private readonly limits: RateLimitGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest & Partial<TouchpointRequest>>();
    const { touchpoint } = request;
    // Public routes have no touchpoint.
    if (!touchpoint) return true;
    const response = http.getResponse<Response>();
    this.clock.enter(touchpoint.id, await this.sandbox.findAheadMs(touchpoint.id));
    // Clients learn the time of the service from it, to extend sessions in time.
    response.setHeader('Date', this.clock.now().toUTCString());
    const scenario = request.headers[SCENARIO.toLowerCase()];
    if (scenario === undefined || !request.path.startsWith('/api/v1/')) return true;
    const refusal = await this.scenarios.play(String(scenario), request, response);
    if (refusal === null) return true;
    if (refusal.tellsLimits) await this.tellLimits(context);
    throw refusal.error;
  }

  /** As the real answer would; but a limit that is reached does not stand before the scenario. */
  private async tellLimits(context: ExecutionContext): Promise<void> {
    await this.limits.canActivate(context).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }
}
