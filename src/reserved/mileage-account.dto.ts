import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { NULLABLE } from '../platform/http/validation/nullable-schema';
import { Moment, Points } from './mileage-properties';
import { PageDto, PageQueryDto } from './page.dto';

const ENTRY_TYPES = ['EARN', 'SPEND', 'EXPIRE', 'ADJUST'];
const ENTRY_ID = '0197a3d0-6b1c-7f3e-9a42-c7d80e5b1f94';

@ApiSchema({ description: 'A level that a consumer reaches by points; null where the activity has none.', ...NULLABLE })
class MileageTierDto {
  @ApiProperty({ example: 'gold', description: 'The level, for programs.', minLength: 1, maxLength: 64 })
  code: string;

  @ApiProperty({ example: 'Gold', description: 'The level, for people.', minLength: 1, maxLength: 200 })
  name: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1200,
    description: 'Points still missing for the next tier; null in the highest.',
  })
  pointsToNext: number | null;
}

@ApiSchema({ description: 'Points that are lost at one time unless they are spent.' })
class ExpiringPointsDto {
  @Points('How many.', 300)
  points: number;

  @Moment('When they are lost.', '2026-03-31T22:00:00.000Z')
  expiresAt: string;
}

/** The answer of `GET /api/v1/activities/mileage/{id}`. */
@ApiSchema({ description: 'What a consumer has collected in an activity.' })
export class MileageSummaryDto {
  @ApiProperty({ example: 'coffee-miles', description: 'Which activity, as in the path.', minLength: 1, maxLength: 64 })
  activityId: string;

  @ApiProperty({ example: 'Coffee miles', description: 'The activity, for people.', minLength: 1, maxLength: 200 })
  name: string;

  @Points('What can be spent now.', 2300)
  balance: number;

  @Points('Earned and not yet confirmed.', 150)
  pending: number;

  @ApiProperty({ type: MileageTierDto, description: 'Null where the activity has no tiers.' })
  tier: MileageTierDto | null;

  @ApiProperty({ type: [ExpiringPointsDto], description: 'The next first.' })
  expiring: ExpiringPointsDto[];

  @Moment('When the balance last changed.', '2026-01-31T12:00:00.000Z')
  updatedAt: string;
}

@ApiSchema({ description: 'An amount of money.' })
class MoneyDto {
  @ApiProperty({ pattern: '^[0-9]+(\\.[0-9]{1,4})?$', description: 'A decimal number, as text.', example: '49.90' })
  value: string;

  @ApiProperty({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', example: 'EUR' })
  currency: string;
}

/** The body of `POST /api/v1/activities/mileage/{id}`: what happened; the activity's rules say how many points it is worth. */
@ApiSchema({ description: 'Something that happened; the rules of the activity say how many points it earns.' })
export class MileageEventDto {
  @ApiProperty({
    description: 'A kind of event that the activity knows.',
    example: 'PURCHASE',
    minLength: 1,
    maxLength: 64,
  })
  event: string;

  @ApiProperty({
    description: 'Your own name for it; each earns once.',
    maxLength: 128,
    example: 'receipt-20260131-0042',
    minLength: 1,
  })
  reference: string;

  @Moment('When it happened.', '2026-01-31T11:58:00.000Z')
  occurredAt: string;

  @ApiPropertyOptional({ type: MoneyDto, description: 'What was paid, where the points depend on it.' })
  amount?: MoneyDto;
}

/** One line of the consumer's account. */
@ApiSchema({ description: 'One line of the consumer’s account of points.' })
export class MileageEntryDto {
  @ApiProperty({ example: ENTRY_ID, description: 'The line, for programs.', format: 'uuid' })
  entryId: string;

  @ApiProperty({ enum: ENTRY_TYPES, example: 'EARN', description: 'Why the points came or went.' })
  type: string;

  @Points('Negative when spent or lost.', 49)
  points: number;

  @Points('What could be spent after it.', 2349)
  balanceAfter: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'receipt-20260131-0042',
    description: 'The `reference` of the event; null where there was none.',
    minLength: 1,
    maxLength: 128,
  })
  reference: string | null;

  @ApiProperty({ description: 'For people.', example: 'Purchase', minLength: 1, maxLength: 200 })
  description: string;

  @Moment('When it happened.', '2026-01-31T11:58:00.000Z')
  occurredAt: string;
}

@ApiSchema({ description: 'One page of the consumer’s account of points.' })
export class MileageHistoryDto extends PageDto {
  @ApiProperty({ type: [MileageEntryDto], description: 'The latest first.' })
  items: MileageEntryDto[];
}

/** The body of `POST /api/v1/activities/mileage/{id}/history`: all that is given must fit. */
@ApiSchema({ description: 'Which lines of the account are looked for: all that is given must fit.' })
export class MileageHistoryQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: ENTRY_TYPES, isArray: true, example: ['EARN', 'SPEND'], description: 'Any of these.' })
  types?: string[];

  @ApiPropertyOptional({ format: 'date-time', description: 'Not before.', example: '2026-01-01T00:00:00.000Z' })
  from?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Before.', example: '2026-02-01T00:00:00.000Z' })
  to?: string;
}
