import { Controller, Get, Headers, Patch, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { SignedInCaller } from '../../auth/sessions/caller';
import {
  AsksForSessionItself,
  CurrentSignedInCaller,
  CurrentToken,
  JwtAuthGuard,
} from '../../auth/sessions/jwt-auth.guard';
import type { UncheckedSession } from '../../auth/sessions/session-principal';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { Draft } from '../../platform/http/validation/validation';
import { BodyDraft } from '../../platform/http/validation/validation.pipe';
import { ProfilePatchDto } from './profile-patch.dto';
import { ProfileDto } from './profile.dto';
import { ProfilesService, type TaggedProfile } from './profiles.service';

const ENTITY_TAG = {
  ETag: {
    description: 'Strong.',
    required: true,
    schema: { type: 'string' as const, example: '"5nFiLpXmZ2uQ0b1jY7rKd8cVwTE"' },
  },
};

@ApiTags('Consumers')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('api/v1/me')
export class MeController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get()
  @AsksForSessionItself()
  @ApiOperation({
    summary: 'Read the profile',
    description: 'Whose it is, the token says. What is absent is null. Keep the `ETag` to change what you have read.',
  })
  @ApiOkResponse({ type: ProfileDto, description: 'The profile.', headers: ENTITY_TAG })
  @ApiProblems('UNAUTHENTICATED')
  async read(
    @CurrentToken() session: UncheckedSession,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProfileDto> {
    return answer(response, await this.profiles.readWhileLive(session));
  }

  @Patch()
  @ReadsJson(ProfilePatchDto, 'application/merge-patch+json')
  @ApiOperation({
    summary: 'Change the profile',
    description:
      'JSON Merge Patch (RFC 7396): what is absent stays, null clears. A new `email` or `phone` in place of a verified one waits as `pendingEmail` or `pendingPhone` until it is confirmed. With the `ETag` of what you have read as `If-Match`, nobody else’s change is overwritten.',
  })
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'Change the profile only while it has one of these entity tags; `*` for any.',
  })
  @ApiOkResponse({ type: ProfileDto, description: 'The profile as it is now.', headers: ENTITY_TAG })
  @ApiProblems('UNAUTHENTICATED', 'IDENTIFIER_TAKEN', 'LAST_IDENTIFIER', 'PRECONDITION_FAILED')
  async patch(
    @CurrentSignedInCaller() caller: SignedInCaller,
    @BodyDraft(ProfilePatchDto) draft: Draft<ProfilePatchDto>,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProfileDto> {
    return answer(response, await this.profiles.patch(caller, draft, ifMatch));
  }
}

function answer(response: Response, { profile, entityTag }: TaggedProfile): ProfileDto {
  response.setHeader('ETag', entityTag);
  return profile;
}
