import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { CurrentCustomer, JwtAuthGuard } from './jwt-auth.guard';
import { type Customer, SessionsService } from './sessions.service';

@ApiTags('Consumers')
@Controller('api/v1/logout')
export class LogoutController {
  constructor(private readonly sessions: SessionsService) {}

  @Post()
  @HttpCode(204)
  @UseGuards(JwtAuthGuard)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'End the session; its token is dead at its next use' })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiProblems('UNAUTHENTICATED')
  async logout(@CurrentCustomer() { sessionId }: Customer): Promise<void> {
    await this.sessions.revoke(sessionId);
  }
}
