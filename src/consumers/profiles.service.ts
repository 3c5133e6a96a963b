import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { lockConsumer } from '../auth/consumer-lock';
import { externalIdentitiesOf } from '../auth/external-identities.service';
import { sessionEnded } from '../auth/jwt-auth.guard';
import { type Customer, LIVE_SESSION, SessionsService } from '../auth/sessions.service';
import { AuditService } from '../platform/audit/audit.service';
import type { Origin } from '../platform/audit/origin';
import { Clock } from '../platform/clock';
import { prepared } from '../platform/database/preparing-client';
import { ApiError } from '../platform/errors/api-error';
import { ifMatchHolds, strongEntityTag } from '../platform/http/entity-tag';
import { validBody } from '../platform/http/validation';
import { type Address, type Attributes, Consumer } from './consumer.entity';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';
import { phoneViolations } from '../verification/phone-rules';
import { IdentifierChangesService } from './identifier-changes.service';
import { mergeAddress, mergeAttributes } from './merge-patch';
import { ProfilePatchDto } from './profile-patch.dto';
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
  /** Null: none. */
  externalIdentities: { issuer: string; linkedAt: string }[] | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Of the consumer `c`. */
const PROFILE_COLUMNS = `
  c.id AS "customerId", c.type, c.first_name AS "firstName", c.last_name AS "lastName",
  e.value AS email, e.verified_at IS NOT NULL AS "emailVerified", pe.value AS "pendingEmail",
  p.value AS phone, p.verified_at IS NOT NULL AS "phoneVerified", pp.value AS "pendingPhone",
  c.birth_date::text AS "birthDate", c.locale, c.address, c.attributes,
  k.consumer_id IS NOT NULL AS "hasPassword",
  ${externalIdentitiesOf('c.id', 'issuer', 'linkedAt')} AS "externalIdentities", c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;
const PROFILE_JOINS = `
  LEFT JOIN identifier e ON e.consumer_id = c.id AND e.kind = 'email' AND NOT e.pending
  LEFT JOIN identifier pe ON pe.consumer_id = c.id AND pe.kind = 'email' AND pe.pending
  LEFT JOIN identifier p ON p.consumer_id = c.id AND p.kind = 'phone' AND NOT p.pending
  LEFT JOIN identifier pp ON pp.consumer_id = c.id AND pp.kind = 'phone' AND pp.pending
  LEFT JOIN credential k ON k.consumer_id = c.id`;
const PROFILE = `SELECT ${PROFILE_COLUMNS} FROM consumer c ${PROFILE_JOINS} WHERE c.id = $1`;
const PROFILE_OF_SESSION = prepared(`SELECT ${PROFILE_COLUMNS} FROM session s JOIN consumer c ON c.id = s.consumer_id
  ${PROFILE_JOINS} WHERE ${LIVE_SESSION}`);

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
    private readonly sessions: SessionsService,
    private readonly identifierChanges: IdentifierChangesService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** The profile of a customer whose session is live, which the same statement asks: half the cost of two. */
  async read(customer: Customer): Promise<TaggedProfile> {
    const values = this.sessions.livenessOf(customer);
    const [row] = await this.dataSource.query<ProfileRow[]>(PROFILE_OF_SESSION, values);
    if (!row) throw sessionEnded();
    return tagged(row);
  }

  /** The profile, or null when there is no such consumer. */
  async find(manager: EntityManager, consumerId: string): Promise<ProfileDto | null> {
    const [row] = await manager.query<ProfileRow[]>(PROFILE, [consumerId]);
    return row ? ProfileDto.from(row) : null;
  }

  /** Applies a merge patch; `ifMatch` is judged once the result is known to be valid, and before any conflict. */
  async patch(
    touchpoint: Touchpoint,
    customer: Customer,
    body: object,
    ifMatch: string | undefined,
    origin: Origin,
  ): Promise<TaggedProfile> {
    const { consumerId } = customer;
    return this.dataSource.transaction(async (manager) => {
      await lockConsumer(manager, this.sessions.livenessOf(customer));
      const present = await this.present(manager, consumerId);
      const now = this.clock.now();
      const patch = validBody(ProfilePatchDto, body, (draft) => [
        ...profileViolations(merge(present, draft), now),
        // One that the consumer has already, from another touchpoint or from before there were rules, is no news.
        ...([present.phone, present.pendingPhone].includes(draft.phone ?? null)
          ? []
          : phoneViolations(touchpoint, draft.phone)),
      ]);
      if (!ifMatchHolds(ifMatch, tagged(present).entityTag)) throw new ApiError('PRECONDITION_FAILED');

      const { email, phone } = patch;
      await this.identifierChanges.apply(manager, consumerId, { email, phone }, origin);
      const columns = merge(present, patch);
      if (Object.keys(columns).length > 0) await manager.update(Consumer, { id: consumerId }, columns);
      const changed = await this.present(manager, consumerId);
      if (isDeepStrictEqual(changed, present)) return tagged(present);
      await manager.update(Consumer, { id: consumerId }, { updatedAt: now });
      const fields = changedFields(present, changed);
      await this.audit.record(manager, origin, { type: 'profile.changed', consumerId, details: { fields } });
      return tagged({ ...changed, updatedAt: now });
    });
  }

  private async present(manager: EntityManager, consumerId: string): Promise<ProfileRow> {
    const [row] = await manager.query<ProfileRow[]>(PROFILE, [consumerId]);
    if (!row) throw sessionEnded();
    return row;
  }
}

function tagged(row: ProfileRow): TaggedProfile {
  const profile = ProfileDto.from(row);
  return { profile, entityTag: strongEntityTag(Buffer.from(JSON.stringify(profile))) };
}

/** The columns that a patch names, and what they become. */
const merge = (present: ProfileRow, { firstName, lastName, birthDate, locale, address, attributes }: ProfilePatchDto) =>
  given({
    firstName,
    lastName,
    birthDate,
    locale,
    address: address === undefined ? undefined : mergeAddress(present.address, address),
    attributes: attributes === undefined ? undefined : mergeAttributes(present.attributes, attributes),
  });

const changedFields = (before: ProfileRow, after: ProfileRow): string[] =>
  (Object.keys(after) as (keyof ProfileRow)[]).filter((field) => !isDeepStrictEqual(before[field], after[field]));

/** Without what the patch leaves out. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
