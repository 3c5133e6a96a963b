import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { DeliveryAddressDto } from './delivery-address.dto';
import { Moment, Points } from './mileage-properties';
import { PageDto, PageQueryDto } from './page.dto';

const REWARD_ID = 'coffee-grinder';

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
