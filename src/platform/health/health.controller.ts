import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags, ApiSchema } from '@nestjs/swagger';
import { ApiProblems } from '../http/api-problems.decorator';
import { ApiError } from '../errors/api-error';
import { Public } from '../http/public.decorator';
import { Lifecycle } from '../lifecycle';
import { RedisConnection } from '../redis/redis';
import { DatabaseProbe } from './database-probe';

@ApiSchema({ description: 'How the service is.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    example: 'ok',
    description: 'degraded: Redis is away, limits are counted by each replica alone.',
  })
  status: 'ok' | 'degraded';
}

@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DatabaseProbe,
    private readonly redis: RedisConnection,
    private readonly lifecycle: Lifecycle,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'Whether the process runs', description: 'If it does not answer, restart it.' })
  @ApiOkResponse({ type: HealthDto, description: 'It runs.' })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Whether requests should be sent here',
    description:
      'While it stops, or its database does not answer: 503, send them elsewhere. What the database answered is remembered for a second.',
  })
  @ApiOkResponse({ type: HealthDto, description: 'It takes requests.' })
  @ApiProblems('SERVICE_UNAVAILABLE')
  async ready(): Promise<HealthDto> {
    if (this.lifecycle.isDraining) throw new ApiError('SERVICE_UNAVAILABLE', { detail: 'The service is stopping.' });
    await this.database.ask();
    return { status: this.redis.isAway ? 'degraded' : 'ok' };
  }
}
