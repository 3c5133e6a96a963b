import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { violatedConstraint } from '../../platform/database/connection/database-errors';
import { newId } from '../../platform/random';
import { isSafeHttpAddress, SAFE_HTTP_ADDRESS } from '../../platform/values/safe-address';
import type { IdentityProvider } from './identity-provider.entity';
import { IdentityProviderRepository, type IdentityProviderRow } from './identity-provider.repository';
import { parsePublicKeySet } from './public-key-set';
import { TouchpointError } from '../administration/touchpoint.error';
import { TouchpointsService } from '../administration/touchpoints.service';

/** 1 to 255 characters, no control characters, no white space around them. */
const NAME = /^(?!\s)\P{C}{1,255}(?<!\s)$/u;

/** An identity provider as an administrator names it. */
export interface NewIdentityProvider {
  issuer: string;
  audience: string;
  /** Where its keys are, or the text of a JWK Set. */
  keys: { uri: string } | { file: string };
  trustsEmail: boolean;
}

/** Administers the identity providers of touchpoints. */
@Injectable()
export class IdentityProvidersService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly providers: IdentityProviderRepository,
    private readonly touchpoints: TouchpointsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  async list(code: string): Promise<IdentityProvider[]> {
    return (await this.touchpoints.get(code)).identityProviders;
  }

  async add(code: string, given: NewIdentityProvider, origin: Origin): Promise<IdentityProvider[]> {
    const { issuer, audience, keys, trustsEmail } = given;
    if (!NAME.test(issuer)) throw new TouchpointError('--issuer must have 1 to 255 characters');
    if (!NAME.test(audience)) throw new TouchpointError('--audience must have 1 to 255 characters');
    const jwksUri = 'uri' in keys ? parseJwksUri(keys.uri) : null;
    const jwks = 'file' in keys ? parsePublicKeySet(keys.file) : null;
    const { id: touchpointId } = await this.touchpoints.get(code);
    const createdAt = this.clock.now();
    const provider = { id: newId(), touchpointId, issuer, audience, jwksUri, jwks, trustsEmail, createdAt };
    try {
      await this.dataSource.transaction(async (manager) => {
        await this.requireOneKeySet(manager, provider);
        await this.providers.insertProvider(manager, provider);
        const details = { issuer, audience, trustsEmail };
        await this.audit.record(manager, about(origin, code), { type: 'touchpoint.provider-added', details });
      });
    } catch (error) {
      if (violatedConstraint(error) === 'identity_provider_touchpoint_id_issuer_key') {
        throw new TouchpointError(`${code} trusts ${issuer} already: remove it first`, { cause: error });
      }
      throw error;
    }
    return this.list(code);
  }

  /** Takes effect on every replica as fast as any change of a touchpoint. */
  async remove(code: string, issuer: string, origin: Origin): Promise<IdentityProvider[]> {
    const { id: touchpointId } = await this.touchpoints.get(code);
    await this.dataSource.transaction(async (manager) => {
      const wasTrusted = await this.providers.deleteProvider(manager, touchpointId, issuer);
      if (!wasTrusted) throw new TouchpointError(`${code} does not trust ${issuer}`);
      const details = { issuer };
      await this.audit.record(manager, about(origin, code), { type: 'touchpoint.provider-removed', details });
    });
    return this.list(code);
  }

  /** An issuer's subjects are the same consumers at every touchpoint: a provider with other keys could act for them. */
  private async requireOneKeySet(manager: EntityManager, provider: IdentityProviderRow): Promise<void> {
    await this.providers.lockProviders(manager);
    const other = await this.providers.findTouchpointWithOtherKeys(manager, provider);
    if (other === null) return;
    throw new TouchpointError(
      `${other} trusts ${provider.issuer} with other keys: name the same ones, or remove it there first`,
    );
  }
}

const about = (origin: Origin, code: string): Origin => ({ ...origin, touchpoint: code });

/** Keys come over TLS, or from this machine. */
function parseJwksUri(text: string): string {
  if (!isSafeHttpAddress(text)) throw new TouchpointError(`--jwks-uri ${SAFE_HTTP_ADDRESS}`);
  return new URL(text).href;
}
