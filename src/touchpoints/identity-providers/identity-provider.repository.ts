import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { run } from '../../platform/database/statement';
import { TOUCHPOINT } from '../touchpoint.repository';
import { IdentityProvider } from './identity-provider.entity';

export type IdentityProviderRow = Omit<IdentityProvider, 'touchpoint'>;

/** Every statement on `identity_provider`; with its touchpoint a provider is read by `TouchpointRepository`. */
@Injectable()
export class IdentityProviderRepository {
  /** Makes concurrent additions of providers wait for each other; requests only read. */
  async lockProviders(manager: EntityManager): Promise<void> {
    await run(manager, sql`LOCK TABLE identity_provider IN SHARE ROW EXCLUSIVE MODE`);
  }

  /** The code of another touchpoint that trusts the issuer with neither the same address nor, in any order, the same keys. */
  async findTouchpointWithOtherKeys(
    manager: EntityManager,
    { issuer, touchpointId, jwksUri, jwks }: IdentityProviderRow,
  ): Promise<string | null> {
    const keys = jwks && JSON.stringify(jwks);
    const [other] = await run<{ code: string }>(
      manager,
      sql`SELECT t.code FROM identity_provider p JOIN ${TOUCHPOINT} ON t.id = p.touchpoint_id
        WHERE p.issuer = ${issuer} AND p.touchpoint_id <> ${touchpointId}
          AND NOT coalesce(p.jwks_uri = ${jwksUri}, p.jwks @> ${keys}::jsonb AND p.jwks <@ ${keys}::jsonb, false)
        ORDER BY t.code LIMIT 1`,
    );
    return other?.code ?? null;
  }

  async insertProvider(manager: EntityManager, provider: IdentityProviderRow): Promise<void> {
    await manager.insert(IdentityProvider, provider);
  }

  /** False when there is none. */
  async deleteProvider(manager: EntityManager, touchpointId: string, issuer: string): Promise<boolean> {
    const { affected } = await manager.delete(IdentityProvider, { touchpointId, issuer });
    return affected === 1;
  }
}
