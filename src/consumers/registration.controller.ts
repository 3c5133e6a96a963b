import { Body, Controller, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SessionDto } from '../auth/session.dto';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { ReadsJson } from '../platform/http/reads-json.decorator';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';
import { CurrentTouchpoint } from '../touchpoints/touchpoint-request';
import { RegisterDto } from './register.dto';
import { RegistrationService } from './registration.service';

@ApiTags('Consumers')
@Controller('api/v1/register')
export class RegistrationController {
  constructor(private readonly registration: RegistrationService) {}

  @Post()
  @ReadsJson()
  @ApiOperation({ summary: 'Register a consumer' })
  @ApiBody({ type: RegisterDto })
  @ApiCreatedResponse({ type: SessionDto })
  @ApiProblems('IDENTIFIER_TAKEN')
  register(@CurrentTouchpoint() touchpoint: Touchpoint, @Body() body: object): Promise<SessionDto> {
    return this.registration.register(touchpoint, body);
  }
}
