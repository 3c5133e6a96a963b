import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiRequest } from '../../platform/http/api-request';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ReadsJson } from '../../platform/http/body/reads-json.decorator';
import { ForSubscribers } from '../subscribers/for-subscribers.decorator';
import { CurrentSubscriber } from '../subscribers/subscriber-request';
import type { Subscriber } from '../subscribers/subscriber.entity';
import { MAX_LIMIT, MAX_WAIT_SECONDS, parseFeedQuery } from './feed-query';
import { AckDto, FeedDto } from './feed.dto';
import { FeedService } from './feed.service';

@ForSubscribers()
@Controller('integration/v1/events')
export class FeedController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  @ApiOperation({
    summary: 'Read what happened',
    description:
      'Every committed act once: what was committed before another act began stands before it. A position that you have passed never gets an older event behind it, so one number is all that you need to store.',
  })
  @ApiQuery({
    name: 'after',
    required: false,
    schema: { type: 'string', pattern: '^\\d{1,18}$' },
    description: 'A `nextAfter`; if it is left out, what you have acknowledged.',
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 100 },
    description: 'How many events at most.',
  })
  @ApiQuery({
    name: 'wait',
    required: false,
    schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 },
    description: 'How many seconds to wait for an event if there is none.',
  })
  @ApiQuery({
    name: 'types',
    required: false,
    schema: { type: 'string' },
    description: 'Some of your types, separated by commas.',
  })
  @ApiOkResponse({ type: FeedDto, description: 'The next events, if there are any.' })
  @ApiProblems('VALIDATION_FAILED', 'CURSOR_EXPIRED')
  read(
    @CurrentSubscriber() subscriber: Subscriber,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FeedDto> {
    const query = parseFeedQuery(request.originalUrl, subscriber);
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    return this.feed.read(subscriber, query, gone.signal);
  }

  @Post('ack')
  @HttpCode(204)
  @ReadsJson(AckDto)
  @ApiOperation({
    summary: 'Acknowledge what has been processed',
    description:
      'The service reports how far you are, and goes on there when you leave `after` out. An earlier position than the last one changes nothing.',
  })
  @ApiNoContentResponse({ description: 'It is noted.' })
  async acknowledge(@CurrentSubscriber() subscriber: Subscriber, @Body() { position }: AckDto): Promise<void> {
    await this.feed.acknowledge(subscriber, BigInt(position));
  }
}
