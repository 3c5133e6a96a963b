import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { NULLABLE } from '../platform/http/validation/nullable-schema';
import { DeliveryAddressDto } from './delivery-address.dto';
import { PageDto } from './page.dto';

const PLAY_ID = '0197a3d8-17c4-7b69-a5f0-6e2d91c3b847';

@ApiSchema({ description: 'Something that can be won.' })
class PrizeDto {
  @ApiProperty({ example: 'weekend-in-turin', description: 'The prize, for programs.', minLength: 1, maxLength: 64 })
  prizeId: string;

  @ApiProperty({ example: 'A weekend in Turin', description: 'The prize, for people.', minLength: 1, maxLength: 200 })
  name: string;

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://images.example.com/turin.webp',
    description: 'A picture of it; null where there is none.',
  })
  imageUrl: string | null;
}

@ApiSchema({ description: 'The prize of a try; null when nothing was won.', ...NULLABLE })
class WonPrizeDto extends PrizeDto {}

/** The answer of `GET` and `POST /api/v1/activities/instant-win/{id}`. */
@ApiSchema({ description: 'A game in which a consumer learns at once whether something was won.' })
export class InstantWinGameDto {
  @ApiProperty({
    example: 'summer-scratch-card',
    description: 'Which activity, as in the path.',
    minLength: 1,
    maxLength: 64,
  })
  activityId: string;

  @ApiProperty({ example: 'Summer scratch card', description: 'The game, for people.', minLength: 1, maxLength: 200 })
  name: string;

  @ApiProperty({ enum: ['UPCOMING', 'OPEN', 'CLOSED'], example: 'OPEN', description: 'Whether it can be played now.' })
  state: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-06-01T00:00:00.000Z',
    description: 'From when on it can be played (RFC 3339, UTC).',
  })
  startsAt: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-09-01T00:00:00.000Z',
    description: 'Until when it can be played (RFC 3339, UTC).',
  })
  endsAt: string;

  @ApiProperty({
    description: 'Which terms a consumer who joins accepts.',
    example: '2026-05',
    minLength: 1,
    maxLength: 64,
  })
  termsVersion: string;

  @ApiProperty({ description: 'Whether the consumer has joined.', example: true })
  joined: boolean;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How often the consumer may still play; null: without limit.',
    example: 1,
  })
  playsLeft: number | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'From when on the consumer may play; null: never again.',
    example: '2026-06-15T00:00:00.000Z',
  })
  nextPlayAt: string | null;

  @ApiProperty({ type: [PrizeDto], description: 'What can be won.' })
  prizes: PrizeDto[];
}

/** The body of `POST /api/v1/activities/instant-win/{id}`. */
@ApiSchema({ description: 'That the consumer joins the game, and by which terms.' })
export class JoinInstantWinDto {
  @ApiProperty({
    description: 'The `termsVersion` that the consumer has accepted.',
    example: '2026-05',
    minLength: 1,
    maxLength: 64,
  })
  termsVersion: string;
}

/** The body of `POST /api/v1/activities/instant-win/{id}/play`. */
@ApiSchema({ description: 'One try at the game.' })
export class PlayInstantWinDto {
  @ApiPropertyOptional({
    maxLength: 64,
    description: 'The code of a pack or a receipt, where the game asks for one; each plays once.',
    example: 'SUN7-K2QF-9XWM',
    minLength: 1,
  })
  entryCode?: string;
}

@ApiSchema({ description: 'What a try at the game brought.' })
export class InstantWinPlayDto {
  @ApiProperty({ example: PLAY_ID, description: 'The try, for programs.', format: 'uuid' })
  playId: string;

  @ApiProperty({ enum: ['WON', 'LOST'], example: 'WON', description: 'Whether something was won.' })
  outcome: string;

  @ApiProperty({ type: WonPrizeDto, description: 'What was won; null when lost.' })
  prize: WonPrizeDto | null;

  @ApiProperty({
    format: 'date-time',
    example: '2026-06-14T18:30:00.000Z',
    description: 'When it was played (RFC 3339, UTC).',
  })
  playedAt: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'As in the game.', example: 0 })
  playsLeft: number | null;
}

/** A prize that the consumer has won. */
@ApiSchema({ description: 'A prize that the consumer has won.' })
export class InstantWinResultDto {
  @ApiProperty({ example: PLAY_ID, description: 'The try that won it.', format: 'uuid' })
  playId: string;

  @ApiProperty({ type: PrizeDto, description: 'What was won.' })
  prize: PrizeDto;

  @ApiProperty({
    format: 'date-time',
    example: '2026-06-14T18:30:00.000Z',
    description: 'When it was won (RFC 3339, UTC).',
  })
  wonAt: string;

  @ApiProperty({
    enum: ['UNCLAIMED', 'CLAIMED', 'DELIVERED', 'EXPIRED'],
    example: 'CLAIMED',
    description: 'How far it is on its way to the consumer.',
  })
  status: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Until when it can be claimed.',
    example: '2026-07-14T18:30:00.000Z',
  })
  claimBefore: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What redeems a prize that is a voucher; null before it is claimed, and for others.',
    example: null,
    minLength: 1,
    maxLength: 64,
  })
  voucherCode: string | null;
}

@ApiSchema({ description: 'One page of the prizes that the consumer has won.' })
export class InstantWinResultsDto extends PageDto {
  @ApiProperty({ type: [InstantWinResultDto], description: 'The latest first.' })
  items: InstantWinResultDto[];
}

/** The body of `POST /api/v1/activities/instant-win/{id}/results`. */
@ApiSchema({ description: 'Which prize is claimed, and where it is to be sent.' })
export class ClaimPrizeDto {
  @ApiProperty({ description: 'The play that won it.', example: PLAY_ID, format: 'uuid' })
  playId: string;

  @ApiPropertyOptional({ type: DeliveryAddressDto, description: 'Where the prize needs one.' })
  deliveryAddress?: DeliveryAddressDto;
}
