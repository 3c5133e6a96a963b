import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CONSUMER_ADDRESS_HEADER, ConsumerAddress } from '../../auth/login/consumer-address';
import { CurrentCustomer, JwtAuthGuard } from '../../auth/sessions/jwt-auth.guard';
import type { SessionPrincipal } from '../../auth/sessions/session-principal';
import type { Origin } from '../../audit/origin';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { PasswordModeGuard } from '../../touchpoints/password-mode.guard';
import { RequestOrigin } from '../../touchpoints/request-origin';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { CurrentTouchpoint } from '../../touchpoints/touchpoint-request';
import { PasswordChangeDto } from './password-change.dto';
import { PasswordChangeService } from './password-change.service';

@ApiTags('Consumers')
@Controller('api/v1/password/change')
export class PasswordController {
  constructor(private readonly passwordChange: PasswordChangeService) {}

  @Post()
  @HttpCode(204)
  @UseGuards(JwtAuthGuard, new PasswordModeGuard('PASSWORD_NOT_ALLOWED'))
  @ReadsJson(PasswordChangeDto)
  @ApiBearerAuth()
  @ApiOperation({
    summary: 'Change the password',
    description:
      'Every other session of the consumer ends at once; this one stays. A wrong current password counts as a failed ' +
      'login. Links to identity providers (`externalIdentities` of the profile) stay unless `endExternalIdentities` is true.',
  })
  @ApiHeader(CONSUMER_ADDRESS_HEADER)
  @ApiNoContentResponse({ description: 'The password has changed.' })
  @ApiProblems(
    'UNAUTHENTICATED',
    'PASSWORD_NOT_ALLOWED',
    'CURRENT_PASSWORD_INVALID',
    'PASSWORD_NOT_SET',
    'LOGIN_THROTTLED',
  )
  change(
    @CurrentTouchpoint() touchpoint: Touchpoint,
    @CurrentCustomer() customer: SessionPrincipal,
    @Body() body: object,
    @ConsumerAddress() address: string | null,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    return this.passwordChange.change(touchpoint, customer, body, address, origin);
  }
}
