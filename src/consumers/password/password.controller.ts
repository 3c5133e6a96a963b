import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { SignedInCaller } from '../../auth/sessions/caller';
import { CurrentSignedInCaller, JwtAuthGuard } from '../../auth/sessions/jwt-auth.guard';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { Draft } from '../../platform/http/validation/validation';
import { BodyDraft } from '../../platform/http/validation/validation.pipe';
import { PasswordModeGuard } from '../../touchpoints/password-mode.guard';
import { CONSUMER_IP_HEADER } from '../../touchpoints/consumer-ip';
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
  @ApiHeader(CONSUMER_IP_HEADER)
  @ApiNoContentResponse({ description: 'The password has changed.' })
  @ApiProblems(
    'UNAUTHENTICATED',
    'PASSWORD_NOT_ALLOWED',
    'CURRENT_PASSWORD_INVALID',
    'PASSWORD_NOT_SET',
    'LOGIN_THROTTLED',
  )
  change(
    @CurrentSignedInCaller() caller: SignedInCaller,
    @BodyDraft(PasswordChangeDto) draft: Draft<PasswordChangeDto>,
  ): Promise<void> {
    return this.passwordChange.change(caller, draft);
  }
}
