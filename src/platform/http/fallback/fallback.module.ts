import { Module } from '@nestjs/common';
import { FallbackController } from './fallback.controller';

/**
 * Answers what no other route does: 404 and 405, as problems. It is imported last, because the router tries routes in the
 * order of their modules. Owns no table.
 */
@Module({ controllers: [FallbackController] })
export class FallbackModule {}
