import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsText, TextRule } from '../../platform/http/validation/fields';
import { EventDto, POSITION } from './event.dto';
import { parsePosition } from './feed-query';

/** A page of the log. */
@ApiSchema({ description: 'Events in the order of their positions.' })
export class FeedDto {
  @ApiProperty({ type: [EventDto], description: 'At most `limit`; there may be more at once.' })
  events: EventDto[];

  @ApiProperty({
    ...POSITION,
    description: 'Where to go on: store it together with what the events have changed, even if there are none.',
  })
  nextAfter: string;
}

/** The body of `POST /integration/v1/events/ack`. */
@ApiSchema({ description: 'How far the log has been processed.' })
export class AckDto {
  @ApiProperty({ ...POSITION, description: 'A `nextAfter`, or the `position` of an event.' })
  @IsText()
  @TextRule('INVALID_FORMAT', 'must be the digits of a position', (value) => parsePosition(value) !== null)
  position: string;
}
