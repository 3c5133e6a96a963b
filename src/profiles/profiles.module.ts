import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Consumer } from './consumer.entity';
import { ConsumerRepository } from './consumer.repository';

/**
 * What is kept of a consumer as a person: the row, its fields and their rules. How a consumer proves who they are is in
 * `auth`, and who may read or change a profile in `consumers`, both above. Below stand the platform, the audit trail and
 * the reference data. Owns the table `consumer`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([Consumer])],
  providers: [ConsumerRepository],
  exports: [ConsumerRepository],
})
export class ProfilesModule {}
