import { ApiProperty, ApiPropertyOptional } from '../platform/openapi';
import { DeliveryAddressDto } from './delivery-address.dto';
import { PageDto, PageQueryDto } from './page.dto';

const ENTRY_TYPES = ['EARN', 'SPEND', 'EXPIRE', 'ADJUST'];
const REWARD_ID = 'coffee-grinder';
const ENTRY_ID = '0197a3d0-6b1c-7f3e-9a42-c7d80e5b1f94';

const Points = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', description, example });

const Moment = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ format: 'date-time', description, example });

class MileageTierDto {
  @ApiProperty({ example: 'gold' })
  code: string;

  @ApiProperty({ example: 'Gold' })
  name: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1200,
    description: 'Points still missing for the next tier; null in the highest.',
  })
  pointsToNext: number | null;
}

class ExpiringPointsDto {
  @Points('How many.', 300)
  points: number;

  @Moment('When they are lost.', '2026-03-31T22:00:00.000Z')
  expiresAt: string;
}

/** The answer of `GET /api/v1/activities/mileage/{id}`. */
export class MileageSummaryDto {
  @ApiProperty({ example: 'coffee-miles' })
  activityId: string;

  @ApiProperty({ example: 'Coffee miles' })
  name: string;

  @Points('What can be spent now.', 2300)
  balance: number;

  @Points('Earned and not yet confirmed.', 150)
  pending: number;

  @ApiProperty({ type: MileageTierDto, nullable: true, description: 'Null where the activity has no tiers.' })
  tier: MileageTierDto | null;

  @ApiProperty({ type: [ExpiringPointsDto], description: 'The next first.' })
  expiring: ExpiringPointsDto[];

  @Moment('When the balance last changed.', '2026-01-31T12:00:00.000Z')
  updatedAt: string;
}

class MoneyDto {
  @ApiProperty({ pattern: '^[0-9]+(\\.[0-9]{1,4})?$', description: 'A decimal number, as text.', example: '49.90' })
  value: string;

  @ApiProperty({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', example: 'EUR' })
  currency: string;
}

/** The body of `POST /api/v1/activities/mileage/{id}`: what happened; the activity's rules say how many points it is worth. */
export class MileageEventDto {
  @ApiProperty({ description: 'A kind of event that the activity knows.', example: 'PURCHASE' })
  event: string;

  @ApiProperty({
    description: 'Your own name for it; each earns once.',
    maxLength: 128,
    example: 'receipt-20260131-0042',
  })
  reference: string;

  @Moment('When it happened.', '2026-01-31T11:58:00.000Z')
  occurredAt: string;

  @ApiPropertyOptional({ type: MoneyDto })
  amount?: MoneyDto;
}

/** One line of the consumer's account. */
export class MileageEntryDto {
  @ApiProperty({ example: ENTRY_ID })
  entryId: string;

  @ApiProperty({ enum: ENTRY_TYPES, example: 'EARN' })
  type: string;

  @Points('Negative when spent or lost.', 49)
  points: number;

  @Points('What could be spent after it.', 2349)
  balanceAfter: number;

  @ApiProperty({ type: String, nullable: true, example: 'receipt-20260131-0042' })
  reference: string | null;

  @ApiProperty({ description: 'For people.', example: 'Purchase' })
  description: string;

  @Moment('When it happened.', '2026-01-31T11:58:00.000Z')
  occurredAt: string;
}

class MileageRewardDto {
  @ApiProperty({ example: REWARD_ID })
  rewardId: string;

  @ApiProperty({ example: 'Coffee grinder' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'With a ceramic grinder, for 40 g of beans.' })
  description: string | null;

  @ApiProperty({ example: 'kitchen' })
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
  })
  imageUrl: string | null;
}

export class MileageCatalogDto extends PageDto {
  @ApiProperty({ type: [MileageRewardDto] })
  items: MileageRewardDto[];
}

/** The body of `POST /api/v1/activities/mileage/{id}/catalog`: all that is given must fit. */
export class MileageCatalogQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ description: 'Words of the name or the description.', example: 'coffee' })
  text?: string;

  @ApiPropertyOptional({ type: [String], example: ['kitchen'] })
  categories?: string[];

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'What one may cost at most.', example: 1000 })
  maxPoints?: number;
}

class MileageCartLineDto {
  @ApiProperty({ example: REWARD_ID })
  rewardId: string;

  @ApiProperty({ example: 'Coffee grinder' })
  name: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 2 })
  quantity: number;

  @Points('What one costs.', 900)
  points: number;

  @Points('What all of them cost.', 1800)
  totalPoints: number;
}

export class MileageCartDto {
  @ApiProperty({ type: [MileageCartLineDto] })
  items: MileageCartLineDto[];

  @Points('What everything costs.', 1800)
  totalPoints: number;

  @Points('What the consumer can spend.', 2300)
  balance: number;
}

/** The body of `POST /api/v1/activities/mileage/{id}/cart`. */
export class MileageCartItemDto {
  @ApiProperty({ example: REWARD_ID })
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

class DeliveryOptionDto {
  @ApiProperty({ example: 'standard' })
  code: string;

  @ApiProperty({ example: 'By post, three to five days' })
  name: string;

  @Points('What it costs.', 0)
  points: number;
}

export class MileageQuoteDto extends MileageCartDto {
  @ApiProperty({ type: [DeliveryOptionDto] })
  deliveryOptions: DeliveryOptionDto[];

  @ApiProperty({ description: 'Whether the balance is enough and everything is available.', example: true })
  orderable: boolean;
}

/** The body of `POST /api/v1/activities/mileage/{id}/checkout`. */
export class MileageCheckoutDto {
  @ApiProperty({
    type: 'integer',
    description: 'The `totalPoints` that the consumer has agreed to: an order that costs another number is refused.',
    example: 1800,
  })
  totalPoints: number;

  @ApiProperty({ description: 'One of the quote’s `deliveryOptions`.', example: 'standard' })
  deliveryOption: string;

  @ApiPropertyOptional({ type: DeliveryAddressDto, description: 'Where the option needs one.' })
  deliveryAddress?: DeliveryAddressDto;
}

export class MileageOrderDto {
  @ApiProperty({ example: '0197a3d2-9e57-7c08-8d16-3fb2a4e6c071' })
  orderId: string;

  @ApiProperty({ enum: ['CONFIRMED', 'SHIPPED', 'DELIVERED', 'CANCELLED'], example: 'CONFIRMED' })
  status: string;

  @ApiProperty({ type: [MileageCartLineDto] })
  items: MileageCartLineDto[];

  @Points('What was spent.', 1800)
  totalPoints: number;

  @Points('What can be spent now.', 500)
  balanceAfter: number;

  @Moment('When it was ordered.', '2026-01-31T12:00:00.000Z')
  createdAt: string;
}

export class MileageHistoryDto extends PageDto {
  @ApiProperty({ type: [MileageEntryDto] })
  items: MileageEntryDto[];
}

/** The body of `POST /api/v1/activities/mileage/{id}/history`: all that is given must fit. */
export class MileageHistoryQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: ENTRY_TYPES, isArray: true, example: ['EARN', 'SPEND'] })
  types?: string[];

  @ApiPropertyOptional({ format: 'date-time', description: 'Not before.', example: '2026-01-01T00:00:00.000Z' })
  from?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Before.', example: '2026-02-01T00:00:00.000Z' })
  to?: string;
}
