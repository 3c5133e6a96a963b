import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { NULLABLE } from '../platform/http/nullable-schema';
import { DeliveryAddressDto } from './delivery-address.dto';
import { PageDto, PageQueryDto } from './page.dto';

const ENTRY_TYPES = ['EARN', 'SPEND', 'EXPIRE', 'ADJUST'];
const REWARD_ID = 'coffee-grinder';
const ENTRY_ID = '0197a3d0-6b1c-7f3e-9a42-c7d80e5b1f94';

const Points = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', description, example });

const Moment = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ format: 'date-time', description, example });

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

@ApiSchema({ description: 'Something that points can buy.' })
class MileageRewardDto {
  @ApiProperty({ example: REWARD_ID, description: 'The reward, for programs.', minLength: 1, maxLength: 64 })
  rewardId: string;

  @ApiProperty({ example: 'Coffee grinder', description: 'The reward, for people.', minLength: 1, maxLength: 200 })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'With a ceramic grinder, for 40 g of beans.',
    description: 'More about it, for people; null where there is no more.',
    minLength: 1,
    maxLength: 2000,
  })
  description: string | null;

  @ApiProperty({ example: 'kitchen', description: 'The kind of reward, for programs.', minLength: 1, maxLength: 64 })
  category: string;

  @Points('What one costs.', 900)
  points: number;

  @ApiProperty({ description: 'Whether it can be ordered now.', example: true })
  available: boolean;

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://images.example.com/coffee-grinder.webp',
    description: 'A picture of it; null where there is none.',
  })
  imageUrl: string | null;
}

@ApiSchema({ description: 'One page of the rewards.' })
export class MileageCatalogDto extends PageDto {
  @ApiProperty({ type: [MileageRewardDto], description: 'In the order of the catalogue.' })
  items: MileageRewardDto[];
}

/** The body of `POST /api/v1/activities/mileage/{id}/catalog`: all that is given must fit. */
@ApiSchema({ description: 'Which rewards are looked for: all that is given must fit.' })
export class MileageCatalogQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    description: 'Words of the name or the description.',
    example: 'coffee',
    minLength: 1,
    maxLength: 200,
  })
  text?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 64 },
    description: 'Any of these kinds.',
    example: ['kitchen'],
  })
  categories?: string[];

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'What one may cost at most.', example: 1000 })
  maxPoints?: number;
}

@ApiSchema({ description: 'A reward in the cart.' })
class MileageCartLineDto {
  @ApiProperty({ example: REWARD_ID, description: 'Which reward.', minLength: 1, maxLength: 64 })
  rewardId: string;

  @ApiProperty({ example: 'Coffee grinder', description: 'The reward, for people.', minLength: 1, maxLength: 200 })
  name: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 2, description: 'How many of it.' })
  quantity: number;

  @Points('What one costs.', 900)
  points: number;

  @Points('What all of them cost.', 1800)
  totalPoints: number;
}

@ApiSchema({ description: 'What the consumer is about to order.' })
export class MileageCartDto {
  @ApiProperty({ type: [MileageCartLineDto], description: 'One line for each reward.' })
  items: MileageCartLineDto[];

  @Points('What everything costs.', 1800)
  totalPoints: number;

  @Points('What the consumer can spend.', 2300)
  balance: number;
}

/** The body of `POST /api/v1/activities/mileage/{id}/cart`. */
@ApiSchema({ description: 'How many of a reward the cart is to hold.' })
export class MileageCartItemDto {
  @ApiProperty({ example: REWARD_ID, description: 'Which reward.', minLength: 1, maxLength: 64 })
  rewardId: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 99,
    description: 'How many the cart holds afterwards; 0 takes the reward out.',
    example: 2,
  })
  quantity: number;
}

@ApiSchema({ description: 'A way in which an order can be sent.' })
class DeliveryOptionDto {
  @ApiProperty({ example: 'standard', description: 'The way, for programs.', minLength: 1, maxLength: 64 })
  code: string;

  @ApiProperty({
    example: 'By post, three to five days',
    description: 'The way, for people.',
    minLength: 1,
    maxLength: 200,
  })
  name: string;

  @Points('What it costs.', 0)
  points: number;
}

@ApiSchema({ description: 'The cart with everything that an order of it needs.' })
export class MileageQuoteDto extends MileageCartDto {
  @ApiProperty({ type: [DeliveryOptionDto], description: 'How it can be sent.' })
  deliveryOptions: DeliveryOptionDto[];

  @ApiProperty({ description: 'Whether the balance is enough and everything is available.', example: true })
  orderable: boolean;
}

/** The body of `POST /api/v1/activities/mileage/{id}/checkout`. */
@ApiSchema({ description: 'That the consumer orders what is in the cart.' })
export class MileageCheckoutDto {
  @ApiProperty({
    type: 'integer',
    description: 'The `totalPoints` that the consumer has agreed to: an order that costs another number is refused.',
    example: 1800,
  })
  totalPoints: number;

  @ApiProperty({
    description: 'One of the quote’s `deliveryOptions`.',
    example: 'standard',
    minLength: 1,
    maxLength: 64,
  })
  deliveryOption: string;

  @ApiPropertyOptional({ type: DeliveryAddressDto, description: 'Where the option needs one.' })
  deliveryAddress?: DeliveryAddressDto;
}

@ApiSchema({ description: 'An order that was accepted.' })
export class MileageOrderDto {
  @ApiProperty({
    example: '0197a3d2-9e57-7c08-8d16-3fb2a4e6c071',
    description: 'The order, for programs.',
    format: 'uuid',
  })
  orderId: string;

  @ApiProperty({
    enum: ['CONFIRMED', 'SHIPPED', 'DELIVERED', 'CANCELLED'],
    example: 'CONFIRMED',
    description: 'How far it is on its way.',
  })
  status: string;

  @ApiProperty({ type: [MileageCartLineDto], description: 'What was ordered.' })
  items: MileageCartLineDto[];

  @Points('What was spent.', 1800)
  totalPoints: number;

  @Points('What can be spent now.', 500)
  balanceAfter: number;

  @Moment('When it was ordered.', '2026-01-31T12:00:00.000Z')
  createdAt: string;
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
