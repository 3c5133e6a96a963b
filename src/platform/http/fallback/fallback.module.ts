import { Module } from '@nestjs/common';
import { FallbackController } from './fallback.controller';

/** Imported last: the router tries routes in the order in which their modules were imported. */
@Module({ controllers: [FallbackController] })
export class FallbackModule {}
