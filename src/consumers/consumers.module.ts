import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { Consumer } from './consumer.entity';
import { MeController } from './me.controller';
import { PasswordChangeService } from './password-change.service';
import { PasswordController } from './password.controller';
import { ProfilesService } from './profiles.service';
import { RegistrationController } from './registration.controller';
import { RegistrationService } from './registration.service';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([Consumer])],
  controllers: [MeController, PasswordController, RegistrationController],
  providers: [PasswordChangeService, ProfilesService, RegistrationService],
})
export class ConsumersModule {}
