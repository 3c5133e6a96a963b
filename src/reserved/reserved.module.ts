import { Module } from '@nestjs/common';
import { InstantWinController, MileageController, OneTimeCodeLoginController } from './reserved.controllers';
import { ReservedGuard } from './reserved.guard';

@Module({
  controllers: [OneTimeCodeLoginController, MileageController, InstantWinController],
  providers: [ReservedGuard],
  exports: [ReservedGuard],
})
export class ReservedModule {}
