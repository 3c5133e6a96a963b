import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import type { SignedInCaller } from './caller';
import { CurrentSignedInCaller, JwtAuthGuard } from './jwt-auth.guard';
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
      'Its tokens are dead at their next use, everywhere. Other sessions of the consumer stay. A body is ignored.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiProblems('UNAUTHENTICATED')
  async logout(@CurrentSignedInCaller() caller: SignedInCaller): Promise<void> {
    await this.sessions.end(caller);
  }
}
