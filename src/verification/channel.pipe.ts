import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiError } from '../platform/errors/api-error';
import { type Channel, CHANNELS } from '../messages/message';

/** Reads the path parameter `{channel}`. */
@Injectable()
export class ChannelPipe implements PipeTransform<string, Channel> {
  transform(value: string): Channel {
    const channel = CHANNELS.find((known) => known === value);
    if (!channel) throw new ApiError('CHANNEL_NOT_SUPPORTED');
    return channel;
  }
}
