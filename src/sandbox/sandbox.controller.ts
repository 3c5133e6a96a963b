import { Body, Controller, Delete, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Origin } from '../audit/origin';
import { AuditTrail } from '../audit/audit-trail.service';
import { ConsumerErasure } from '../consumers/administration/consumer-erasure.service';
import { Clock } from '../platform/clock';
import { validationFailed } from '../platform/errors/api-error';
import { ReadsJson } from '../platform/http/body/reads-json.decorator';
import { durationSeconds } from '../platform/values/duration';
import type { TouchpointRequest } from '../touchpoints/touchpoint-request';
import { SandboxAssertions } from './assertions.service';
import { AdvanceDto, AssertionDto, type SandboxMessage } from './sandbox.dto';
import { SandboxRepository } from './sandbox.repository';

const MOST_AHEAD_MS = 400 * 86_400_000;
const EVENTS_A_PAGE = 1_000;

/** What a partner developer needs beside the API, with the touchpoint's credential. */
@ApiExcludeController()
@Controller('sandbox')
export class SandboxController {
  constructor(
    private readonly sandbox: SandboxRepository,
    private readonly assertions: SandboxAssertions,
    private readonly trail: AuditTrail,
    private readonly erasure: ConsumerErasure,
    private readonly clock: Clock,
  ) {}

  @Get('messages')
  messages(@Req() { touchpoint, url }: TouchpointRequest): Promise<SandboxMessage[]> {
    const to = new URL(url, 'http://localhost').searchParams.get('to');
    return this.sandbox.findMessages(touchpoint.code, to ?? undefined);
  }

  @Post('clock')
  @ReadsJson(AdvanceDto)
  @HttpCode(200)
  async advance(@Req() { touchpoint }: TouchpointRequest, @Body() { advance }: AdvanceDto): Promise<{ now: string }> {
    const before = await this.sandbox.findAheadMs(touchpoint.id);
    const byMs = (durationSeconds(advance) ?? 0) * 1000;
    const aheadMs = byMs > MOST_AHEAD_MS ? null : await this.sandbox.advance(touchpoint.id, byMs, MOST_AHEAD_MS);
    if (aheadMs === null) {
      const message = 'must not lead further than 400 days ahead of the true time';
      throw validationFailed([{ field: 'advance', code: 'INVALID_VALUE', message }]);
    }
    return { now: new Date(this.clock.epochMs() + aheadMs - before).toISOString() };
  }

  @Delete('consumers')
  @HttpCode(204)
  async deleteConsumers(@Req() request: TouchpointRequest): Promise<void> {
    const { code } = request.touchpoint;
    const customerIds = await this.registeredAt(code);
    // Whoever is erased keeps no message, also when another one could not be erased.
    await this.erasure.eraseAll(customerIds, originOf(request)).finally(() => this.sandbox.deleteMessages(code));
  }

  @Post('assertions')
  @ReadsJson(AssertionDto)
  @HttpCode(200)
  async sign(@Req() request: TouchpointRequest, @Body() said: AssertionDto): Promise<{ assertion: string }> {
    return { assertion: await this.assertions.sign(request.touchpoint, said, originOf(request)) };
  }

  /** As far as the audit trail goes back. */
  private async registeredAt(touchpoint: string): Promise<string[]> {
    const found: string[] = [];
    let before: string | undefined;
    for (let hasMore = true; hasMore;) {
      const page = await this.trail.page({ touchpoint }, { limit: EVENTS_A_PAGE, before });
      for (const { type, consumerId } of page.events) {
        if (type === 'consumer.registered' && consumerId !== null) found.push(consumerId);
      }
      before = page.events[0]?.id;
      ({ hasMore } = page);
    }
    return found;
  }
}

const originOf = ({ touchpoint, requestId }: TouchpointRequest): Origin => ({
  ...{ actor: 'touchpoint', touchpoint: touchpoint.code, requestId },
});
