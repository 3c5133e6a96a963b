import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../platform/http/public.decorator';
import { SubscriberGuard } from './subscriber.guard';

/** Opens a controller to subscribers, who have no touchpoint. */
export const ForSubscribers = (): ClassDecorator =>
  applyDecorators(Public(), UseGuards(SubscriberGuard), ApiTags('Integration'));
