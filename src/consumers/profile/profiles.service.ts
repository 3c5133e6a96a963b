import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import type { SignedInCaller } from '../../auth/sessions/caller';
import { sessionEnded } from '../../auth/sessions/tokens/invalid-token';
import type { UncheckedSession } from '../../auth/sessions/session-principal';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { EventLog } from '../../events/log/event-log';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { ifMatchHolds, strongEntityTag } from '../../platform/http/entity-tag';
import type { Draft } from '../../platform/http/validation/validation';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { phoneViolations } from '../../verification/phone-rules';
import { IdentifierChangesService } from './identifier-changes.service';
import { mergeAddress, mergeAttributes } from '../../profiles/merge-patch';
import type { ProfilePatchDto } from './profile-patch.dto';
import { profileViolations } from '../../profiles/profile-rules';
import { factsOf } from './profile-facts';
import { ProfileDto } from './profile.dto';
import { ProfileRepository } from './profile.repository';

/** A profile and the entity tag of its representation. */
export interface TaggedProfile {
  profile: ProfileDto;
  entityTag: string;
}

/** Reads and changes profiles. */
@Injectable()
export class ProfilesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly profiles: ProfileRepository,
    private readonly consumers: ConsumerRepository,
    private readonly sessions: SessionsService,
    private readonly identifierChanges: IdentifierChangesService,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  async readWhileLive(session: UncheckedSession): Promise<TaggedProfile> {
    const row = await this.profiles.readWhileLive(session);
    if (!row) throw sessionEnded();
    return tagged(ProfileDto.from(row));
  }

  /** The profile, or null when there is no such consumer. */
  async find(manager: EntityManager, consumerId: string): Promise<ProfileDto | null> {
    const row = await this.profiles.readProfile(manager, consumerId);
    return row && ProfileDto.from(row);
  }

  /** Applies a merge patch; `ifMatch` is judged once the result is known to be valid, and before any conflict. */
  async patch(
    caller: SignedInCaller,
    draft: Draft<ProfilePatchDto>,
    ifMatch: string | undefined,
  ): Promise<TaggedProfile> {
    const { touchpoint, session, origin } = caller;
    const { consumerId } = session;
    return this.dataSource.transaction(async (manager) => {
      await this.sessions.lockConsumer(manager, session);
      const present = await this.present(manager, consumerId);
      const now = this.clock.now();
      const { phone: wantedPhone } = draft.fields;
      // A number that the consumer already has, from another touchpoint or from before there were rules, stays.
      const keepsPhone = [present.phone, present.pendingPhone].includes(wantedPhone ?? null);
      const { email, phone, ...patch } = draft.accept([
        ...profileViolations(merge(present, draft.fields), now),
        ...(keepsPhone ? [] : phoneViolations(touchpoint, wantedPhone)),
      ]);
      if (!ifMatchHolds(ifMatch, tagged(present).entityTag)) throw new ApiError('PRECONDITION_FAILED');

      await this.identifierChanges.apply(manager, caller, { email, phone });
      await this.consumers.updateConsumer(manager, consumerId, merge(present, patch));
      const changed = await this.present(manager, consumerId);
      const fields = changedFields(present, changed);
      if (fields.length === 0) return tagged(present);
      await this.consumers.touch(manager, consumerId, now);
      const act = { type: 'profile.changed', consumerId, details: { fields } } as const;
      await this.events.record(manager, origin, act, ...factsOf(consumerId, fields, changed));
      changed.updatedAt = now.toISOString();
      return tagged(changed);
    });
  }

  private async present(manager: EntityManager, consumerId: string): Promise<ProfileDto> {
    const profile = await this.find(manager, consumerId);
    if (!profile) throw sessionEnded();
    return profile;
  }
}

const tagged = (profile: ProfileDto): TaggedProfile => ({
  profile,
  entityTag: strongEntityTag(Buffer.from(JSON.stringify(profile))),
});

/** The columns that a patch changes, with their new values. */
const merge = (present: ProfileDto, { firstName, lastName, birthDate, locale, address, attributes }: ProfilePatchDto) =>
  given({
    firstName,
    lastName,
    birthDate,
    locale,
    address: address === undefined ? undefined : mergeAddress(present.address, address),
    attributes: attributes === undefined ? undefined : mergeAttributes(present.attributes, attributes),
  });

const changedFields = (before: ProfileDto, after: ProfileDto): string[] =>
  (Object.keys(after) as (keyof ProfileDto)[]).filter((field) => !isDeepStrictEqual(before[field], after[field]));

/** Without what the patch leaves out. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
