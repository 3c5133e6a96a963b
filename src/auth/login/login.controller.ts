import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { PasswordModeGuard } from '../../touchpoints/password-mode.guard';
import { CONSUMER_IP_HEADER } from '../../touchpoints/consumer-ip';
import { LoginDto } from './login.dto';
import { LoginService } from './login.service';
import { type Caller, CurrentCaller } from '../sessions/caller';
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
      'Every failure looks the same, whether the consumer is unknown or the password wrong. After ten failures for one identifier within 15 minutes, or a hundred from one `X-Consumer-IP`: 429 `LOGIN_THROTTLED`. Pass the consumer’s IP address on in `X-Consumer-IP`, so that a stranger’s guesses do not shut the owner out.',
  })
  @ApiHeader(CONSUMER_IP_HEADER)
  @ApiOkResponse({ type: SessionDto, description: 'A new session.' })
  @ApiProblems('LOGIN_METHOD_NOT_ALLOWED', 'INVALID_CREDENTIALS', 'LOGIN_THROTTLED')
  login(@CurrentCaller() caller: Caller, @Body() dto: LoginDto): Promise<SessionDto> {
    return this.logins.login(caller, dto);
  }
}
