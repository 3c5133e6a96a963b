import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Origin } from '../../audit/origin';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { CurrentCustomer, JwtAuthGuard } from './jwt-auth.guard';
import { RequestOrigin } from '../../touchpoints/request-origin';
import type { SessionPrincipal } from './session-principal';
import { SessionsService } from './sessions.service';

@ApiTags('Consumers')
@Controller('api/v1/logout')
export class LogoutController {
  constructor(private readonly sessions: SessionsService) {}

  @Post()
  @HttpCode(204)
  @UseGuards(JwtAuthGuard)
  @ApiBearerAuth()
  @ApiOperation({
    summary: 'End the session',
    description:
      'Its token is dead at its next use, everywhere. Other sessions of the consumer stay. A body is ignored.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiProblems('UNAUTHENTICATED')
  async logout(@CurrentCustomer() customer: SessionPrincipal, @RequestOrigin() origin: Origin): Promise<void> {
    await this.sessions.end(customer, origin);
  }
}
