import { Controller, Get, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  InstantWinGameDto,
  JoinInstantWinDto,
  InstantWinPlayDto,
  PlayInstantWinDto,
  ClaimPrizeDto,
  InstantWinResultDto,
  InstantWinResultsDto,
} from './instant-win.dto';
import {
  MileageEntryDto,
  MileageEventDto,
  MileageHistoryDto,
  MileageHistoryQueryDto,
  MileageSummaryDto,
} from './mileage-account.dto';
import {
  MileageCartDto,
  MileageCartItemDto,
  MileageCatalogDto,
  MileageCatalogQueryDto,
  MileageCheckoutDto,
  MileageOrderDto,
  MileageQuoteDto,
} from './mileage-orders.dto';
import { OneTimeCodeRequestDto, OneTimeCodeSentDto, OneTimeCodeVerifyDto } from './one-time-code.dto';
import { Reserved } from './reserved.guard';
import { Paged, ReservedOperation } from './reserved-operation.decorator';

/** By its name in the document, because this folder may not import the class. */
const SESSION = { $ref: '#/components/schemas/SessionDto' };

/** The handlers here never run: `ReservedGuard` answers before them. */
@ApiTags('Reserved')
@Reserved()
@Controller('api/v1/login/otp')
export class OneTimeCodeLoginController {
  @Post('request')
  @ReservedOperation({
    summary: 'Send a one-time code to log in with',
    body: OneTimeCodeRequestDto,
    answer: [202, OneTimeCodeSentDto, 'A code is on its way; the same for an identifier that nobody has.'],
  })
  request(): void {}

  @Post('verify')
  @ReservedOperation({
    summary: 'Log in with the one-time code',
    body: OneTimeCodeVerifyDto,
    answer: [200, SESSION, 'A new session.'],
  })
  verify(): void {}
}

/** Points: what a consumer has, earns and spends. */
@ApiTags('Reserved')
@ApiBearerAuth()
@ApiParam({ name: 'id', type: String, description: 'The activity.', example: 'coffee-miles' })
@Reserved()
@Controller('api/v1/activities/mileage/:id')
export class MileageController {
  @Get()
  @ReservedOperation({
    summary: 'Read the balance',
    answer: [200, MileageSummaryDto, 'What the consumer has, and what expires next.'],
  })
  summary(): void {}

  @Post()
  @ReservedOperation({
    summary: 'Record what earns points',
    body: MileageEventDto,
    answer: [201, MileageEntryDto, 'The points are booked.'],
  })
  earn(): void {}

  @Get('catalog')
  @Paged()
  @ReservedOperation({ summary: 'List the rewards', answer: [200, MileageCatalogDto, 'A page of rewards.'] })
  catalog(): void {}

  @Post('catalog')
  @ReservedOperation({
    summary: 'Search the rewards',
    body: MileageCatalogQueryDto,
    answer: [200, MileageCatalogDto, 'A page of the rewards that fit.'],
  })
  searchCatalog(): void {}

  @Get('cart')
  @ReservedOperation({ summary: 'Read the cart', answer: [200, MileageCartDto, 'The cart; empty at first.'] })
  cart(): void {}

  @Post('cart')
  @ReservedOperation({
    summary: 'Put a reward into the cart, change how many, or take it out',
    body: MileageCartItemDto,
    answer: [200, MileageCartDto, 'The cart as it is now.'],
  })
  changeCart(): void {}

  @Get('checkout')
  @ReservedOperation({
    summary: 'Ask what the cart would cost',
    answer: [200, MileageQuoteDto, 'Nothing is spent yet.'],
  })
  quote(): void {}

  @Post('checkout')
  @ReservedOperation({
    summary: 'Order what is in the cart',
    body: MileageCheckoutDto,
    answer: [201, MileageOrderDto, 'Ordered: the points are spent and the cart is empty.'],
  })
  checkout(): void {}

  @Get('history')
  @Paged()
  @ReservedOperation({
    summary: 'List what was earned and spent',
    answer: [200, MileageHistoryDto, 'A page of entries, the newest first.'],
  })
  history(): void {}

  @Post('history')
  @ReservedOperation({
    summary: 'Search what was earned and spent',
    body: MileageHistoryQueryDto,
    answer: [200, MileageHistoryDto, 'A page of the entries that fit, the newest first.'],
  })
  searchHistory(): void {}
}

/** A game that says at once whether a consumer has won. */
@ApiTags('Reserved')
@ApiBearerAuth()
@ApiParam({ name: 'id', type: String, description: 'The activity.', example: 'summer-scratch-card' })
@Reserved()
@Controller('api/v1/activities/instant-win/:id')
export class InstantWinController {
  @Get()
  @ReservedOperation({
    summary: 'Read the game',
    answer: [200, InstantWinGameDto, 'The game, and what the consumer may do in it.'],
  })
  game(): void {}

  @Post()
  @ReservedOperation({
    summary: 'Join the game',
    body: JoinInstantWinDto,
    answer: [200, InstantWinGameDto, 'Joined, now or before.'],
  })
  join(): void {}

  @Get('play')
  @ReservedOperation({ summary: 'Read the last play', answer: [200, InstantWinPlayDto, 'The consumer’s last play.'] })
  lastPlay(): void {}

  @Post('play')
  @ReservedOperation({
    summary: 'Play',
    body: PlayInstantWinDto,
    answer: [201, InstantWinPlayDto, 'Played: won or lost.'],
  })
  play(): void {}

  @Get('results')
  @Paged()
  @ReservedOperation({
    summary: 'List what was won',
    answer: [200, InstantWinResultsDto, 'A page of the consumer’s prizes, the newest first.'],
  })
  results(): void {}

  @Post('results')
  @ReservedOperation({
    summary: 'Claim a prize',
    body: ClaimPrizeDto,
    answer: [200, InstantWinResultDto, 'Claimed, now or before.'],
  })
  claim(): void {}
}
