import { applyDecorators, Controller, Get, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { Reserved } from './reserved.guard';

const ReservedOperation = (summary: string) =>
  applyDecorators(ApiOperation({ summary: `Reserved: ${summary}` }), ApiProblems('NOT_IMPLEMENTED'));

/** The handlers here never run: `ReservedGuard` answers before them. */
@ApiTags('Reserved')
@Reserved()
@Controller('api/v1/login/otp')
export class OneTimeCodeLoginController {
  @Post(['request', 'verify'])
  @ReservedOperation('log in with a one-time code')
  post(): void {}
}

@ApiTags('Reserved')
@ApiParam({ name: 'id', description: 'The activity' })
@Reserved()
@Controller('api/v1/activities/mileage/:id')
export class MileageController {
  @Get(['', 'catalog', 'cart', 'checkout', 'history'])
  @ReservedOperation('read points')
  get(): void {}

  @Post(['', 'catalog', 'cart', 'checkout', 'history'])
  @ReservedOperation('use points')
  post(): void {}
}

@ApiTags('Reserved')
@ApiParam({ name: 'id', description: 'The activity' })
@Reserved()
@Controller('api/v1/activities/instant-win/:id')
export class InstantWinController {
  @Get(['', 'play', 'results'])
  @ReservedOperation('read an instant-win game')
  get(): void {}

  @Post(['', 'play', 'results'])
  @ReservedOperation('play an instant-win game')
  post(): void {}
}
