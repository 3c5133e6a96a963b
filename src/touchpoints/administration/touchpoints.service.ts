import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { accessKeyDigest, hintOf, newAccessKey } from '../../platform/secrets/access-key';
import { Clock } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { violatedConstraint } from '../../platform/database/connection/database-errors';
import { newId } from '../../platform/random';
import { TOUCHPOINT_CODE, TOUCHPOINT_CODE_RULE } from '../touchpoint-code';
import type { AuthenticationMode, ChannelProof, Touchpoint } from '../touchpoint.entity';
import { type EndingKey, TouchpointRepository } from '../touchpoint.repository';
import { TouchpointError } from './touchpoint.error';

/** The settings of a touchpoint that an administrator chooses. */
export interface TouchpointSettings {
  name: string;
  authenticationMode: AuthenticationMode;
  channelProof: ChannelProof;
  /** Null: the service's own limits; a limit of 0 is unlimited. */
  rateLimit: { limit: number; seconds: number } | null;
  /** Empty: the numbers of every country. */
  smsCountries?: string[];
  /** Null: sessions cannot be extended. */
  sessionMaxSeconds?: number | null;
  /** Null: a session may stay unused as long as it can last. */
  sessionIdleSeconds?: number | null;
}

export interface IssuedKey {
  touchpoint: Touchpoint;
  /** Shown once: only its digest is kept. */
  key: string;
}

/** Administers touchpoints. */
@Injectable()
export class TouchpointsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly touchpoints: TouchpointRepository,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async create(code: string, given: TouchpointSettings, origin: Origin): Promise<IssuedKey> {
    const { rateLimit, ...settings } = given;
    if (!TOUCHPOINT_CODE.test(code)) throw new TouchpointError(TOUCHPOINT_CODE_RULE);
    const id = newId();
    const now = this.clock.now();
    try {
      const key = await this.dataSource.transaction(async (manager) => {
        await this.touchpoints.insertTouchpoint(manager, {
          ...{ id, code, enabled: true, createdAt: now, updatedAt: now },
          ...settings,
          ...rateLimitColumns(rateLimit),
        });
        await this.audit.record(manager, about(origin, code), {
          ...{ type: 'touchpoint.created', details: { settings: given } },
        });
        return this.addKey(manager, id);
      });
      return { touchpoint: await this.get(code), key };
    } catch (error) {
      throw explained(error, code);
    }
  }

  list(): Promise<Touchpoint[]> {
    return this.touchpoints.findAllTouchpoints();
  }

  /** In the order of codes. */
  async page(after: string, limit: number): Promise<{ touchpoints: Touchpoint[]; hasMore: boolean }> {
    const found = await this.touchpoints.findTouchpointsAfter(after, limit + 1);
    return { touchpoints: found.slice(0, limit), hasMore: found.length > limit };
  }

  /** Old keys of rotations whose overlap has not ended; the next to end first. */
  endingKeys(limit: number): Promise<EndingKey[]> {
    return this.touchpoints.findEndingKeys(this.clock.now(), limit);
  }

  async get(code: string): Promise<Touchpoint> {
    const touchpoint = await this.touchpoints.findTouchpointByCode(code);
    if (!touchpoint) throw new TouchpointError(`There is no touchpoint ${code}`);
    return touchpoint;
  }

  /** Changes the given settings, and leaves the rest. */
  async update(
    code: string,
    changes: Partial<TouchpointSettings & { enabled: boolean }>,
    origin: Origin,
  ): Promise<Touchpoint> {
    const { rateLimit, ...settings } = changes;
    const change = this.dataSource.transaction(async (manager) => {
      const isKnown = await this.touchpoints.updateTouchpoint(manager, code, {
        ...settings,
        ...(rateLimit !== undefined && rateLimitColumns(rateLimit)),
        updatedAt: this.clock.now(),
      });
      if (!isKnown) return;
      await this.audit.record(manager, about(origin, code), {
        ...{ type: 'touchpoint.updated', details: { settings: changes } },
      });
    });
    await change.catch((error: unknown) => {
      throw explained(error, code);
    });
    return this.get(code);
  }

  /** Issues a new key; the present one works for `overlapSeconds` more, an older one ends now. */
  async rotateKey(code: string, overlapSeconds: number, origin: Origin): Promise<IssuedKey> {
    const key = await this.dataSource.transaction(async (manager) => {
      const touchpoint = await this.touchpoints.lockTouchpoint(manager, code);
      if (!touchpoint) throw new TouchpointError(`There is no touchpoint ${code}`);
      const { id: touchpointId } = touchpoint;
      const expiresAt = new Date(this.clock.epochMs() + overlapSeconds * 1000);
      if (overlapSeconds === 0) await this.touchpoints.deleteKeys(manager, touchpointId);
      else await this.touchpoints.expireKeys(manager, touchpointId, expiresAt);
      const newKey = await this.addKey(manager, touchpointId);
      await this.audit.record(manager, about(origin, code), {
        ...{ type: 'touchpoint.key-rotated', details: { hint: hintOf(newKey), overlapSeconds } },
      });
      return newKey;
    });
    return { touchpoint: await this.get(code), key };
  }

  private async addKey(manager: EntityManager, touchpointId: string): Promise<string> {
    const key = newAccessKey(this.config.touchpointKeyPrefix);
    await this.touchpoints.insertKey(manager, {
      id: newId(),
      touchpointId,
      digest: accessKeyDigest(key),
      hint: hintOf(key),
      createdAt: this.clock.now(),
      expiresAt: null,
      lastUsedAt: null,
    });
    return key;
  }
}

/** What the administrator reads when the database refuses the settings. */
function explained(error: unknown, code: string): unknown {
  const reasons: Record<string, string> = {
    touchpoint_code_key: `There is a touchpoint ${code} already`,
    touchpoint_session_idle_check: '--session-idle must be at most --session-max, and needs one',
  };
  const reason = reasons[violatedConstraint(error) ?? ''];
  return reason === undefined ? error : new TouchpointError(reason, { cause: error });
}

const about = (origin: Origin, code: string): Origin => ({ ...origin, touchpoint: code });

const rateLimitColumns = (rateLimit: TouchpointSettings['rateLimit']) => ({
  rateLimit: rateLimit?.limit ?? null,
  rateLimitSeconds: rateLimit?.seconds ?? null,
});
