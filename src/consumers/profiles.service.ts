import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { IdentifiersService } from '../auth/identifiers.service';
import { Clock } from '../platform/clock';
import { ApiError, validationFailed } from '../platform/errors/api-error';
import { ifMatchHolds, strongEntityTag } from '../platform/http/entity-tag';
import { type Address, type Attributes, Consumer } from './consumer.entity';
import { mergeAddress, mergeAttributes } from './merge-patch';
import type { ProfilePatchDto } from './profile-patch.dto';
import { profileViolations } from './profile-rules';
import { ProfileDto } from './profile.dto';

/** One consumer's profile with what `auth` knows of the consumer, read by one statement. */
export interface ProfileRow {
  customerId: string;
  type: 'PERSON';
  firstName: string;
  lastName: string;
  email: string | null;
  emailVerified: boolean;
  pendingEmail: string | null;
  phone: string | null;
  phoneVerified: boolean;
  pendingPhone: string | null;
  birthDate: string | null;
  locale: string | null;
  address: Address | null;
  attributes: Attributes | null;
  hasPassword: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const PROFILE = `
  SELECT c.id AS "customerId", c.type, c.first_name AS "firstName", c.last_name AS "lastName",
    e.value AS email, e.verified_at IS NOT NULL AS "emailVerified", pe.value AS "pendingEmail",
    p.value AS phone, p.verified_at IS NOT NULL AS "phoneVerified", pp.value AS "pendingPhone",
    c.birth_date::text AS "birthDate", c.locale, c.address, c.attributes,
    k.consumer_id IS NOT NULL AS "hasPassword", c.created_at AS "createdAt", c.updated_at AS "updatedAt"
  FROM consumer c
  LEFT JOIN identifier e ON e.consumer_id = c.id AND e.kind = 'email' AND NOT e.pending
  LEFT JOIN identifier pe ON pe.consumer_id = c.id AND pe.kind = 'email' AND pe.pending
  LEFT JOIN identifier p ON p.consumer_id = c.id AND p.kind = 'phone' AND NOT p.pending
  LEFT JOIN identifier pp ON pp.consumer_id = c.id AND pp.kind = 'phone' AND pp.pending
  LEFT JOIN credential k ON k.consumer_id = c.id
  WHERE c.id = $1`;

/** A profile and the entity tag of its representation. */
export interface TaggedProfile {
  profile: ProfileDto;
  entityTag: string;
}

/** Reads and changes what consumers keep with us. */
@Injectable()
export class ProfilesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly identifiers: IdentifiersService,
    private readonly clock: Clock,
  ) {}

  async read(consumerId: string): Promise<TaggedProfile> {
    return tagged(await this.find(this.dataSource.manager, consumerId));
  }

  /** Applies a merge patch; `ifMatch` is judged once the result is known to be valid, and before any conflict. */
  async patch(consumerId: string, patch: ProfilePatchDto, ifMatch: string | undefined): Promise<TaggedProfile> {
    return this.dataSource.transaction(async (manager) => {
      // The lock makes patches of one profile wait for each other, so that each merges into the other's result.
      await manager.query('SELECT 1 FROM consumer WHERE id = $1 FOR UPDATE', [consumerId]);
      const present = await this.find(manager, consumerId);
      const { email, phone, address, attributes, ...columns } = patch;
      const merged = {
        ...given(columns),
        ...(address !== undefined && { address: mergeAddress(present.address, address) }),
        ...(attributes !== undefined && { attributes: mergeAttributes(present.attributes, attributes) }),
      };
      const violations = profileViolations({ ...present, ...merged }, this.clock.now());
      if (violations.length > 0) throw validationFailed(violations);
      if (!ifMatchHolds(ifMatch, tagged(present).entityTag)) throw new ApiError('PRECONDITION_FAILED');

      if (email !== undefined) await this.identifiers.change(manager, consumerId, 'email', email);
      if (phone !== undefined) await this.identifiers.change(manager, consumerId, 'phone', phone);
      await manager.update(Consumer, { id: consumerId }, { ...merged, updatedAt: this.clock.now() });
      return tagged(await this.find(manager, consumerId));
    });
  }

  private async find(manager: EntityManager, consumerId: string): Promise<ProfileRow> {
    const [row] = await manager.query<ProfileRow[]>(PROFILE, [consumerId]);
    if (!row) throw new ApiError('UNAUTHENTICATED');
    return row;
  }
}

function tagged(row: ProfileRow): TaggedProfile {
  const profile = ProfileDto.from(row);
  return { profile, entityTag: strongEntityTag(Buffer.from(JSON.stringify(profile))) };
}

/** Without what the patch leaves out. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
