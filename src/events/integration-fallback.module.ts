import { All, Controller, Module, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { ApiRequest } from '../platform/http/api-request';
import { refusalOfUnknown } from '../platform/http/fallback/fallback.controller';
import { FALLBACK_PATH } from '../platform/http/fallback/fallback-path';
import { EventsModule } from './events.module';
import { ForSubscribers } from './subscribers/for-subscribers.decorator';

/** Tells subscribers, and nobody else, that an address does not exist. */
@ApiExcludeController()
@ForSubscribers()
@Controller('integration/v1')
class IntegrationFallbackController {
  @All(FALLBACK_PATH)
  refuse(@Req() request: ApiRequest): never {
    throw refusalOfUnknown(request);
  }
}

/**
 * Answers what no route under `integration/v1` does. The routes of subscribers are in `EventsModule` and in
 * `consumers`; this is imported after them, because the router tries routes in the order of their modules. Only the app
 * stands above. Owns no table.
 */
@Module({ imports: [EventsModule], controllers: [IntegrationFallbackController] })
export class IntegrationFallbackModule {}
