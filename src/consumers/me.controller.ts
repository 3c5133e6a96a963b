import { Body, Controller, Get, Headers, Patch, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentCustomer, JwtAuthGuard } from '../auth/jwt-auth.guard';
import type { Customer } from '../auth/sessions.service';
import type { Origin } from '../platform/audit/origin';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { ReadsJson } from '../platform/http/reads-json.decorator';
import { RequestOrigin } from '../touchpoints/request-origin';
import { ProfilePatchDto } from './profile-patch.dto';
import { ProfileDto } from './profile.dto';
import { ProfilesService, type TaggedProfile } from './profiles.service';

@ApiTags('Consumers')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('api/v1/me')
export class MeController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get()
  @ApiOperation({ summary: 'Read the profile' })
  @ApiOkResponse({ type: ProfileDto })
  @ApiProblems('UNAUTHENTICATED')
  async read(
    @CurrentCustomer() { consumerId }: Customer,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProfileDto> {
    return answer(response, await this.profiles.read(consumerId));
  }

  @Patch()
  @ReadsJson('application/merge-patch+json')
  @ApiOperation({ summary: 'Change the profile (JSON Merge Patch, RFC 7396)' })
  @ApiBody({ type: ProfilePatchDto })
  @ApiHeader({ name: 'If-Match', required: false, description: 'Change only the profile with this entity tag.' })
  @ApiOkResponse({ type: ProfileDto })
  @ApiProblems('UNAUTHENTICATED', 'IDENTIFIER_TAKEN', 'LAST_IDENTIFIER', 'PRECONDITION_FAILED')
  async patch(
    @CurrentCustomer() { consumerId }: Customer,
    @Body() body: object,
    @Headers('if-match') ifMatch: string | undefined,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProfileDto> {
    return answer(response, await this.profiles.patch(consumerId, body, ifMatch, origin));
  }
}

function answer(response: Response, { profile, entityTag }: TaggedProfile): ProfileDto {
  response.setHeader('ETag', entityTag);
  return profile;
}
