import { Body, Controller, HttpCode, Injectable, Param, type PipeTransform, Post, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { SignedInCaller } from '../auth/sessions/caller';
import { CurrentSignedInCaller, JwtAuthGuard } from '../auth/sessions/jwt-auth.guard';
import { ApiError } from '../platform/errors/api-error';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { ReadsJson } from '../platform/http/body/reads-json.decorator';
import { type Channel, CHANNELS } from '../messages/message';
import { CONSUMER_IP_HEADER } from '../touchpoints/consumer-ip';
import { ChallengeSentDto, ConfirmDto, VerifiedDto } from './verification.dto';
import { VerificationsService } from './verifications.service';

const CHANNEL_PARAM = {
  name: 'channel',
  enum: CHANNELS,
  example: 'email',
  description: 'Which address: e-mail or phone.',
};

/** Reads the path parameter `{channel}`. */
@Injectable()
class ChannelPipe implements PipeTransform<string, Channel> {
  transform(value: string): Channel {
    const channel = CHANNELS.find((known) => known === value);
    if (!channel) throw new ApiError('CHANNEL_NOT_SUPPORTED');
    return channel;
  }
}

@ApiTags('Consumers')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('api/v1/verifications/:channel')
export class VerificationsController {
  constructor(private readonly verifications: VerificationsService) {}

  @Post('request')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a code',
    description:
      'To the pending address, else to the present one. A new code ends the one before. Once a minute and five times an hour for each address, an e-mail address counting without its `+tag`. A phone number that this touchpoint does not send SMS to is refused, though the body, which is ignored, does not name it: `phone` with `INVALID_VALUE`.',
  })
  @ApiHeader(CONSUMER_IP_HEADER)
  @ApiParam(CHANNEL_PARAM)
  @ApiAcceptedResponse({ type: ChallengeSentDto, description: 'A code is on its way.' })
  @ApiProblems(
    'UNAUTHENTICATED',
    'VALIDATION_FAILED',
    'CHANNEL_NOT_SUPPORTED',
    'CHANNEL_NOT_SET',
    'ALREADY_VERIFIED',
    'RESEND_TOO_SOON',
  )
  request(
    @CurrentSignedInCaller() caller: SignedInCaller,
    @Param('channel', ChannelPipe) channel: Channel,
  ): Promise<ChallengeSentDto> {
    return this.verifications.request(caller, channel);
  }

  @Post('confirm')
  @HttpCode(200)
  @ReadsJson(ConfirmDto)
  @ApiOperation({
    summary: 'Prove the address with the code',
    description:
      'The address becomes verified, and replaces the one before if it was pending. Five wrong codes are judged.',
  })
  @ApiParam(CHANNEL_PARAM)
  @ApiOkResponse({ type: VerifiedDto, description: 'The address is verified.' })
  @ApiProblems(
    'UNAUTHENTICATED',
    'CHANNEL_NOT_SUPPORTED',
    'CODE_INVALID',
    'CODE_EXPIRED',
    'CODE_ATTEMPTS_EXCEEDED',
    'IDENTIFIER_TAKEN',
  )
  confirm(
    @CurrentSignedInCaller() caller: SignedInCaller,
    @Param('channel', ChannelPipe) channel: Channel,
    @Body() { code }: ConfirmDto,
  ): Promise<VerifiedDto> {
    return this.verifications.confirm(caller, channel, code);
  }
}
