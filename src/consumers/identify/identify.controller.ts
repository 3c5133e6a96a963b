import { Controller, Post, UseGuards } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../auth/sessions/caller';
import { SessionDto } from '../../auth/sessions/session.dto';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { Draft } from '../../platform/http/validation/validation';
import { BodyDraft } from '../../platform/http/validation/validation.pipe';
import { IdentityProviderGuard } from '../../touchpoints/identity-providers/identity-provider.guard';
import { CurrentLease, Idempotent } from '../idempotency/idempotent.decorator';
import type { Lease } from '../idempotency/lease';
import { type Outcome, REPLAYED_HEADER } from '../idempotency/outcome';
import { IdentificationService } from './identification.service';
import { IdentifyDto } from './identify.dto';
import { TrustedIssuer } from './trusted-issuer';

@ApiTags('Consumers')
@UseGuards(IdentityProviderGuard)
@Controller('api/v1/identify')
export class IdentifyController {
  constructor(private readonly identification: IdentificationService) {}

  @Post()
  @Idempotent('identify', TrustedIssuer)
  @ReadsJson(IdentifyDto)
  @ApiOperation({
    summary: 'Open a session for a consumer whom a trusted issuer has authenticated',
    description:
      'Takes the ID token of an OpenID Connect provider, or an assertion that your own backend has signed (RFC 7523), ' +
      'once an administrator has named its issuer for the touchpoint. Each assertion works once. The consumer is the ' +
      'one to whom issuer and subject were linked before, or who has proven the same e-mail address where the issuer ' +
      'is trusted for it; else a new one, made of the claims and of the fields beside the assertion. An e-mail address ' +
      'or phone number among the claims that another consumer claims without proof is left out; it is 409 when the other ' +
      'has proven it, or when it was sent beside the assertion.',
  })
  @ApiOkResponse({
    type: SessionDto,
    description: 'The consumer is known, by the issuer’s subject or a verified e-mail.',
    headers: REPLAYED_HEADER,
  })
  @ApiCreatedResponse({ type: SessionDto, description: 'The consumer is new.', headers: REPLAYED_HEADER })
  @ApiProblems(
    'ASSERTION_INVALID',
    'INVALID_CREDENTIALS',
    'IDENTIFY_NOT_ALLOWED',
    'ASSERTION_REPLAYED',
    'IDENTIFIER_TAKEN',
  )
  identify(
    @CurrentCaller() caller: Caller,
    @BodyDraft(IdentifyDto) draft: Draft<IdentifyDto>,
    @CurrentLease() lease: Lease,
  ): Promise<Outcome> {
    return this.identification.identify(caller, draft, lease);
  }
}
