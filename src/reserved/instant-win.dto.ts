import { ApiProperty, ApiPropertyOptional } from '../platform/openapi';
import { DeliveryAddressDto } from './delivery-address.dto';
import { PageDto } from './page.dto';

const PLAY_ID = '0197a3d8-17c4-7b69-a5f0-6e2d91c3b847';

class PrizeDto {
  @ApiProperty({ example: 'weekend-in-turin' })
  prizeId: string;

  @ApiProperty({ example: 'A weekend in Turin' })
  name: string;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://images.example.com/turin.webp' })
  imageUrl: string | null;
}

/** The answer of `GET` and `POST /api/v1/activities/instant-win/{id}`. */
export class InstantWinGameDto {
  @ApiProperty({ example: 'summer-scratch-card' })
  activityId: string;

  @ApiProperty({ example: 'Summer scratch card' })
  name: string;

  @ApiProperty({ enum: ['UPCOMING', 'OPEN', 'CLOSED'], example: 'OPEN' })
  state: string;

  @ApiProperty({ format: 'date-time', example: '2026-06-01T00:00:00.000Z' })
  startsAt: string;

  @ApiProperty({ format: 'date-time', example: '2026-09-01T00:00:00.000Z' })
  endsAt: string;

  @ApiProperty({ description: 'Which terms a consumer who joins accepts.', example: '2026-05' })
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

  @ApiProperty({ type: [PrizeDto] })
  prizes: PrizeDto[];
}

/** The body of `POST /api/v1/activities/instant-win/{id}`. */
export class JoinInstantWinDto {
  @ApiProperty({ description: 'The `termsVersion` that the consumer has accepted.', example: '2026-05' })
  termsVersion: string;
}

/** The body of `POST /api/v1/activities/instant-win/{id}/play`. */
export class PlayInstantWinDto {
  @ApiPropertyOptional({
    maxLength: 64,
    description: 'The code of a pack or a receipt, where the game asks for one; each plays once.',
    example: 'SUN7-K2QF-9XWM',
  })
  entryCode?: string;
}

export class InstantWinPlayDto {
  @ApiProperty({ example: PLAY_ID })
  playId: string;

  @ApiProperty({ enum: ['WON', 'LOST'], example: 'WON' })
  outcome: string;

  @ApiProperty({ type: PrizeDto, nullable: true, description: 'Null when lost.' })
  prize: PrizeDto | null;

  @ApiProperty({ format: 'date-time', example: '2026-06-14T18:30:00.000Z' })
  playedAt: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'As in the game.', example: 0 })
  playsLeft: number | null;
}

/** A prize that the consumer has won. */
export class InstantWinResultDto {
  @ApiProperty({ example: PLAY_ID })
  playId: string;

  @ApiProperty({ type: PrizeDto })
  prize: PrizeDto;

  @ApiProperty({ format: 'date-time', example: '2026-06-14T18:30:00.000Z' })
  wonAt: string;

  @ApiProperty({ enum: ['UNCLAIMED', 'CLAIMED', 'DELIVERED', 'EXPIRED'], example: 'CLAIMED' })
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
  })
  voucherCode: string | null;
}

export class InstantWinResultsDto extends PageDto {
  @ApiProperty({ type: [InstantWinResultDto] })
  items: InstantWinResultDto[];
}

/** The body of `POST /api/v1/activities/instant-win/{id}/results`. */
export class ClaimPrizeDto {
  @ApiProperty({ description: 'The play that won it.', example: PLAY_ID })
  playId: string;

  @ApiPropertyOptional({ type: DeliveryAddressDto, description: 'Where the prize needs one.' })
  deliveryAddress?: DeliveryAddressDto;
}
