import { Body, Controller, Post, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { SessionDto } from '../auth/session.dto';
import type { Origin } from '../platform/audit/origin';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { ReadsJson } from '../platform/http/reads-json.decorator';
import { IdentityProviderGuard } from '../touchpoints/identity-provider.guard';
import { RequestOrigin } from '../touchpoints/request-origin';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';
import { CurrentTouchpoint } from '../touchpoints/touchpoint-request';
import { IdentificationService } from './identification.service';
import { IdentifyDto } from './identify.dto';

@ApiTags('Consumers')
@UseGuards(IdentityProviderGuard)
@Controller('api/v1/identify')
export class IdentifyController {
  constructor(private readonly identification: IdentificationService) {}

  @Post()
  @ReadsJson()
  @ApiOperation({ summary: 'Open a session for a consumer whom a trusted issuer has authenticated' })
  @ApiBody({ type: IdentifyDto })
  @ApiOkResponse({
    type: SessionDto,
    description: 'The consumer is known, by the issuer’s subject or a verified e-mail.',
  })
  @ApiCreatedResponse({ type: SessionDto, description: 'The consumer is new.' })
  @ApiProblems('ASSERTION_INVALID', 'IDENTIFY_NOT_ALLOWED', 'ASSERTION_REPLAYED', 'IDENTIFIER_TAKEN')
  async identify(
    @CurrentTouchpoint() touchpoint: Touchpoint,
    @Body() body: object,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    const { created, session } = await this.identification.identify(touchpoint, body, origin);
    response.status(created ? 201 : 200);
    return session;
  }
}
