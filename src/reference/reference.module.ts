import { Module } from '@nestjs/common';
import { ReferenceController } from './reference.controller';
import { ReferenceService } from './reference.service';

/**
 * The countries of ISO 3166-1 and the subdivisions of ISO 3166-2, for forms and for checking addresses. They come with a
 * package and never change while the service runs: no table, no state. `profiles`, above, reads them too.
 */
@Module({ controllers: [ReferenceController], providers: [ReferenceService] })
export class ReferenceModule {}
