import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Origin } from '../../audit/origin';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { PasswordModeGuard } from '../../touchpoints/password-mode.guard';
import { RequestOrigin } from '../../touchpoints/request-origin';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { CurrentTouchpoint } from '../../touchpoints/touchpoint-request';
import { CONSUMER_ADDRESS_HEADER, ConsumerAddress } from './consumer-address';
import { LoginDto } from './login.dto';
import { LoginService } from './login.service';
import { SessionDto } from '../sessions/session.dto';

@ApiTags('Consumers')
@Controller('api/v1/login')
export class LoginController {
  constructor(private readonly logins: LoginService) {}

  @Post()
  @HttpCode(200)
  @UseGuards(new PasswordModeGuard('LOGIN_METHOD_NOT_ALLOWED'))
  @ReadsJson(LoginDto)
  @ApiOperation({
    summary: 'Log a consumer in with a password',
    description:
      'Every failure looks the same, whether the consumer is unknown or the password wrong. After ten failures for one identifier within 15 minutes, or a hundred from one `X-Consumer-IP`: 429 `LOGIN_THROTTLED`. Pass the consumer’s address on in `X-Consumer-IP`, so that a stranger’s guesses do not shut the owner out.',
  })
  @ApiHeader(CONSUMER_ADDRESS_HEADER)
  @ApiOkResponse({ type: SessionDto, description: 'A new session.' })
  @ApiProblems('LOGIN_METHOD_NOT_ALLOWED', 'INVALID_CREDENTIALS', 'LOGIN_THROTTLED')
  login(
    @CurrentTouchpoint() touchpoint: Touchpoint,
    @Body() dto: LoginDto,
    @ConsumerAddress() address: string | null,
    @RequestOrigin() origin: Origin,
  ): Promise<SessionDto> {
    return this.logins.login(touchpoint, dto, address, origin);
  }
}
