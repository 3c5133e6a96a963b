import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { SessionDto } from '../auth/session.dto';
import type { Origin } from '../platform/audit/origin';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { ReadsJson } from '../platform/http/reads-json.decorator';
import { RequestOrigin } from '../touchpoints/request-origin';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';
import { CurrentTouchpoint } from '../touchpoints/touchpoint-request';
import { RegisterDto } from './register.dto';
import { CompleteRegistrationDto, RegistrationStartedDto } from './registration.dto';
import { RegistrationService } from './registration.service';
import { VerifiedRegistrationService } from './verified-registration.service';

@ApiTags('Consumers')
@Controller('api/v1/register')
export class RegistrationController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly verified: VerifiedRegistrationService,
  ) {}

  @Post()
  @ReadsJson()
  @ApiOperation({ summary: 'Register a consumer, or begin where the touchpoint requires a channel proof' })
  @ApiBody({ type: RegisterDto })
  @ApiCreatedResponse({ type: SessionDto, description: 'Registered: the touchpoint requires no channel proof.' })
  @ApiAcceptedResponse({ type: RegistrationStartedDto, description: 'A code is on its way: complete with it.' })
  @ApiProblems('IDENTIFIER_TAKEN', 'RESEND_TOO_SOON')
  async register(
    @CurrentTouchpoint() touchpoint: Touchpoint,
    @Body() body: object,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto | RegistrationStartedDto> {
    const result = await this.registration.register(touchpoint, body, origin);
    response.status('registrationId' in result ? 202 : 201);
    return result;
  }

  @Post('complete')
  @ReadsJson()
  @ApiOperation({ summary: 'Complete a registration with the code that was sent' })
  @ApiBody({ type: CompleteRegistrationDto })
  @ApiCreatedResponse({ type: SessionDto })
  @ApiProblems('CODE_INVALID', 'CODE_EXPIRED', 'CODE_ATTEMPTS_EXCEEDED', 'IDENTIFIER_TAKEN')
  complete(
    @CurrentTouchpoint() touchpoint: Touchpoint,
    @Body() body: object,
    @RequestOrigin() origin: Origin,
  ): Promise<SessionDto> {
    return this.verified.complete(touchpoint, body, origin);
  }
}
