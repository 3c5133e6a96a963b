import { Controller, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../auth/sessions/caller';
import { SessionDto } from '../../auth/sessions/session.dto';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { Draft } from '../../platform/http/validation/validation';
import { BodyDraft } from '../../platform/http/validation/validation.pipe';
import { CONSUMER_IP_HEADER } from '../../touchpoints/consumer-ip';
import { CurrentLease, Idempotent } from '../idempotency/idempotent.decorator';
import type { Lease } from '../idempotency/lease';
import { type Outcome, REPLAYED_HEADER } from '../idempotency/outcome';
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
  @ApiHeader(CONSUMER_IP_HEADER)
  @Idempotent('register')
  @ReadsJson(RegisterDto)
  @ApiOperation({
    summary: 'Register a consumer, or begin to',
    description:
      'At a touchpoint without channel proof: 201, the consumer is registered and has a session. At one with it: 202, a code is on its way to `email` or `phone`, and `POST /api/v1/register/complete` makes the consumer. 202 looks the same for an address that somebody holds already; then its owner is told by message.',
  })
  @ApiCreatedResponse({
    type: SessionDto,
    description: 'Registered: the touchpoint requires no channel proof.',
    headers: REPLAYED_HEADER,
  })
  @ApiAcceptedResponse({
    type: RegistrationStartedDto,
    description: 'A code is on its way: complete with it.',
    headers: REPLAYED_HEADER,
  })
  @ApiProblems('INVALID_CREDENTIALS', 'IDENTIFIER_TAKEN', 'RESEND_TOO_SOON')
  register(
    @CurrentCaller() caller: Caller,
    @BodyDraft(RegisterDto) draft: Draft<RegisterDto>,
    @CurrentLease() lease: Lease,
  ): Promise<Outcome> {
    return this.registration.register(caller, draft, lease);
  }

  @Post('complete')
  @Idempotent('register/complete')
  @ReadsJson(CompleteRegistrationDto)
  @ApiOperation({
    summary: 'Complete a registration with the code',
    description:
      'Five wrong codes are judged, then the registration must begin again. A password is needed only where the first step had none; a rejected one spends neither the code nor a guess.',
  })
  @ApiCreatedResponse({ type: SessionDto, headers: REPLAYED_HEADER })
  @ApiProblems('INVALID_CREDENTIALS', 'CODE_INVALID', 'CODE_EXPIRED', 'CODE_ATTEMPTS_EXCEEDED', 'IDENTIFIER_TAKEN')
  complete(
    @CurrentCaller() caller: Caller,
    @BodyDraft(CompleteRegistrationDto) draft: Draft<CompleteRegistrationDto>,
    @CurrentLease() lease: Lease,
  ): Promise<Outcome> {
    return this.verified.complete(caller, draft, lease);
  }
}
