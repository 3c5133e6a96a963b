import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identifier } from '../../auth/identifiers/identifier.entity';
import { type Identifiers, IdentifiersService } from '../../auth/identifiers/identifiers.service';
import type { SignedInCaller } from '../../auth/sessions/caller';
import { CHANNELS } from '../../messages/message';
import { ChallengesService } from '../../verification/challenges.service';
import { IDENTIFIER_OF } from '../../verification/channel';
import { OwnerNotices } from '../../verification/sending/owner-notices';

/** Changes a consumer's identifiers, with their codes and notices. */
@Injectable()
export class IdentifierChangesService {
  constructor(
    private readonly identifiers: IdentifiersService,
    private readonly challenges: ChallengesService,
    private readonly notices: OwnerNotices,
  ) {}

  /** Ends open codes for a removed address; a verified address gets a notice of its removal. */
  async apply(manager: EntityManager, { session, origin }: SignedInCaller, wanted: Identifiers): Promise<void> {
    const { consumerId } = session;
    const removals: Identifier[] = [];
    for (const channel of CHANNELS) {
      const kind = IDENTIFIER_OF[channel];
      const value = wanted[kind];
      if (value === undefined) continue;
      const { changed, removed } = await this.identifiers.change(manager, consumerId, kind, value);
      if (changed) await this.challenges.endAll(manager, consumerId, channel);
      if (removed) removals.push(removed);
    }
    // Notices come last, so that transactions do not deadlock.
    for (const removed of removals) await this.notices.identifierChanged(manager, removed, null, origin);
  }
}
