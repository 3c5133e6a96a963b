import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../audit/audit.module';
import { IdentityProvider } from '../identity-providers/identity-provider.entity';
import { IdentityProviderRepository } from '../identity-providers/identity-provider.repository';
import { IdentityProvidersService } from '../identity-providers/identity-providers.service';
import { TouchpointKey } from '../touchpoint-key.entity';
import { Touchpoint } from '../touchpoint.entity';
import { TouchpointRepository } from '../touchpoint.repository';
import { TouchpointsService } from './touchpoints.service';

/**
 * How administrators change touchpoints, which is all that a command loads. Who calls, and how often, is decided in
 * `TouchpointsModule`, above; below stand `audit` and the platform. The tables are those of `TouchpointsModule`.
 */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([Touchpoint, TouchpointKey, IdentityProvider])],
  providers: [TouchpointRepository, IdentityProviderRepository, TouchpointsService, IdentityProvidersService],
  exports: [TouchpointRepository, TouchpointsService, IdentityProvidersService],
})
export class TouchpointAdministrationModule {}
