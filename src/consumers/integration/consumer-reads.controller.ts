import { Controller, Get, Param, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import { ForSubscribers } from '../../events/subscribers/for-subscribers.decorator';
import type { SubscriberRequest } from '../../events/subscribers/subscriber-request';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { ConsumerReadsService } from './consumer-reads.service';
import { IntegrationProfileDto } from './integration-profile.dto';

@ForSubscribers()
@Controller('integration/v1/consumers')
export class ConsumerReadsController {
  constructor(private readonly reads: ConsumerReadsService) {}

  @Get(':customerId')
  @ApiOperation({
    summary: 'Read a consumer',
    description:
      'The profile as it is now, which may be newer than the event that you have read. Only for subscribers with `--read-consumers`; every look is recorded.',
  })
  @ApiParam({ name: 'customerId', format: 'uuid', description: 'The `subject` of an event.' })
  @ApiOkResponse({ type: IntegrationProfileDto, description: 'The profile.' })
  @ApiProblems('CONSUMER_READ_NOT_ALLOWED', 'NOT_FOUND')
  read(@Req() request: SubscriberRequest, @Param('customerId') customerId: string): Promise<IntegrationProfileDto> {
    return this.reads.read(request, customerId);
  }
}
