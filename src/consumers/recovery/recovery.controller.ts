import { Controller, Post, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../auth/sessions/caller';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { Draft } from '../../platform/http/validation/validation';
import { BodyDraft } from '../../platform/http/validation/validation.pipe';
import { CONSUMER_IP_HEADER } from '../../touchpoints/consumer-ip';
import { PasswordModeGuard } from '../../touchpoints/password-mode.guard';
import { CurrentLease, Idempotent } from '../idempotency/idempotent.decorator';
import type { Lease } from '../idempotency/lease';
import { type Outcome, REPLAYED_HEADER } from '../idempotency/outcome';
import { PasswordForgotDto, PasswordResetDto, RecoveryStartedDto } from './recovery.dto';
import { RecoveryService } from './recovery.service';

@ApiTags('Consumers')
@UseGuards(new PasswordModeGuard('PASSWORD_NOT_ALLOWED'))
@Controller('api/v1/password')
export class RecoveryController {
  constructor(private readonly recovery: RecoveryService) {}

  @Post('forgot')
  @ApiHeader(CONSUMER_IP_HEADER)
  @Idempotent('password/forgot')
  @ReadsJson(PasswordForgotDto)
  @ApiOperation({
    summary: 'Send a code for a new password',
    description:
      'The answer is the same whether or not there is an account. A code of eight digits goes to the address if somebody has proven it, or claims it and has proven nothing else. It works for ten minutes. Codes to one address are sent once a minute and five times an hour; one does not end another.',
  })
  @ApiAcceptedResponse({
    type: RecoveryStartedDto,
    description: 'A code is on its way, if there is an account.',
    headers: REPLAYED_HEADER,
  })
  @ApiProblems('PASSWORD_NOT_ALLOWED', 'RESEND_TOO_SOON')
  forgot(
    @CurrentCaller() caller: Caller,
    @BodyDraft(PasswordForgotDto) draft: Draft<PasswordForgotDto>,
    @CurrentLease() lease: Lease,
  ): Promise<Outcome> {
    return this.recovery.begin(caller, draft, lease);
  }

  @Post('reset')
  @ApiHeader(CONSUMER_IP_HEADER)
  @Idempotent('password/reset')
  @ReadsJson(PasswordResetDto)
  @ApiOperation({
    summary: 'Choose a new password with the code',
    description:
      'The address is proven with it, and every session of the consumer ends at once; there is no new one: let the consumer log in. If the address was only claimed, all else that leads into the account goes too: other identifiers and links to identity providers. Five wrong codes are judged, and with `X-Consumer-IP` thirty an hour from one address. A rejected password spends neither the code nor a guess.',
  })
  @ApiNoContentResponse({ description: 'The consumer has the new password.', headers: REPLAYED_HEADER })
  @ApiProblems('PASSWORD_NOT_ALLOWED', 'CODE_INVALID', 'CODE_EXPIRED', 'CODE_ATTEMPTS_EXCEEDED', 'LOGIN_THROTTLED')
  reset(
    @CurrentCaller() caller: Caller,
    @BodyDraft(PasswordResetDto) draft: Draft<PasswordResetDto>,
    @CurrentLease() lease: Lease,
  ): Promise<Outcome> {
    return this.recovery.reset(caller, draft, lease);
  }
}
