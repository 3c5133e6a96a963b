import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType } from '../log/event-types';
import type { LoggedEvent } from '../log/event.repository';

/** How the OpenAPI document describes a position. */
export const POSITION = { pattern: '^\\d{1,18}$', example: '4711' };

/** An event in the form of CloudEvents 1.0. */
@ApiSchema({
  description: 'Something that happened to a consumer, as CloudEvents 1.0 has it. Nothing in it is personal.',
})
export class EventDto {
  @ApiProperty({ enum: ['1.0'], example: '1.0', description: 'The version of CloudEvents.' })
  specversion: '1.0';

  @ApiProperty({ format: 'uuid', example: '0192f0c1-9b2e-7c41-9a0c-3a6f6d1c2b11', description: 'Of this event alone.' })
  id: string;

  @ApiProperty({ example: 'consumer-service', minLength: 1, description: 'This deployment: its `JWT_ISSUER`.' })
  source: string;

  @ApiProperty({ enum: EVENT_TYPES, example: 'consumer.updated', description: 'What happened; more may be added.' })
  type: EventType;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z', description: 'When it happened.' })
  time: string;

  @ApiProperty({
    format: 'uuid',
    example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11',
    description: 'The `customerId`.',
  })
  subject: string;

  @ApiProperty({ enum: ['application/json'], example: 'application/json', description: 'Of `data`.' })
  datacontenttype: 'application/json';

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { touchpoint: 'shop', changed: ['firstName', 'address'] },
    description:
      'Names, never values: the `touchpoint` where it happened (absent for acts of administration), `changed` fields of the profile, `identifier` (`email` or `phone`), `by` what a registration came about, `sessionId`.',
  })
  data: object;

  @ApiProperty({ ...POSITION, description: 'Its place in the log.' })
  position: string;

  @ApiProperty({
    ...POSITION,
    example: '3',
    description: 'Rises by one with every event of the consumer, those that you do not get included.',
  })
  consumerversion: string;

  static from(event: LoggedEvent, source: string): EventDto {
    const { touchpoint, data } = event;
    return {
      specversion: '1.0',
      id: event.id,
      source,
      type: event.type,
      time: event.occurredAt.toISOString(),
      subject: event.consumerId,
      datacontenttype: 'application/json',
      data: { ...(touchpoint !== null && { touchpoint }), ...data },
      position: event.position,
      consumerversion: event.consumerVersion,
    };
  }
}
