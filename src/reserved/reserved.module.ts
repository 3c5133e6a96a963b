import { Module } from '@nestjs/common';
import { InstantWinController, MileageController, OneTimeCodeLoginController } from './reserved.controllers';
import { ReservedGuard } from './reserved.guard';

/**
 * The routes of the specification that are not live yet (section 4.3): their shape for the API document, and the guard
 * that answers them. Nothing of what they are to do is here. It stands on `platform` alone, beside `reference`; the guard
 * is run by `app`. It owns no table.
 */
@Module({
  controllers: [OneTimeCodeLoginController, MileageController, InstantWinController],
  providers: [ReservedGuard],
  exports: [ReservedGuard],
})
export class ReservedModule {}
