import { Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import type { SignedInCaller } from './caller';
import { CurrentSignedInCaller, JwtAuthGuard } from './jwt-auth.guard';
import { LiveSessionDto, SessionDto } from './session.dto';
import { SessionsService } from './sessions.service';

@ApiTags('Consumers')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('api/v1')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Post('session/extend')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get a new token for the session',
    description:
      'While the consumer is active, before the `exp` of the present token. Earlier tokens stay valid until their own `exp`. Only at the touchpoint where the session began, if an administrator has allowed it (`--session-max`); the claim `auth_time` tells when the consumer logged in. A body is ignored.',
  })
  @ApiOkResponse({ type: SessionDto, description: 'The same session with a new token.' })
  @ApiProblems('UNAUTHENTICATED', 'SESSION_EXTENSION_NOT_ALLOWED')
  extend(@CurrentSignedInCaller() caller: SignedInCaller): Promise<SessionDto> {
    return this.sessions.extend(caller);
  }

  @Get('me/sessions')
  @ApiOperation({
    summary: 'List where the consumer is signed in',
    description: 'The live sessions at all touchpoints, the newest first; at most 1,000.',
  })
  @ApiOkResponse({ type: [LiveSessionDto], description: 'The live sessions.' })
  @ApiProblems('UNAUTHENTICATED')
  list(@CurrentSignedInCaller() caller: SignedInCaller): Promise<LiveSessionDto[]> {
    return this.sessions.listLive(caller);
  }

  @Delete('me/sessions/:sessionId')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Sign the consumer out somewhere',
    description: 'Tokens of that session are dead at their next use. It may be the session of this request.',
  })
  @ApiParam({ name: 'sessionId', format: 'uuid', description: 'One of `GET /api/v1/me/sessions`' })
  @ApiNoContentResponse({ description: 'The session has ended, now or before.' })
  @ApiProblems('UNAUTHENTICATED', 'NOT_FOUND')
  async end(@CurrentSignedInCaller() caller: SignedInCaller, @Param('sessionId') sessionId: string): Promise<void> {
    await this.sessions.endOne(caller, sessionId);
  }
}
