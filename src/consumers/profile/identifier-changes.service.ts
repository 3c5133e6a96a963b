import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identifier } from '../../auth/identifiers/identifier.entity';
import { type Identifiers, IdentifiersService } from '../../auth/identifiers/identifiers.service';
import type { SignedInCaller } from '../../auth/sessions/caller';
import { CHANNELS } from '../../messages/message';
import { ChallengesService } from '../../verification/challenges.service';
import { IDENTIFIER_OF } from '../../verification/channel';
import { OwnerNotices } from '../../verification/sending/owner-notices';

/** Changes a consumer's identifiers, and what hangs on them. */
@Injectable()
export class IdentifierChangesService {
  constructor(
    private readonly identifiers: IdentifiersService,
    private readonly challenges: ChallengesService,
    private readonly notices: OwnerNotices,
  ) {}

  /** Open codes for an address die with it; a verified address that is removed is told so. */
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
    // Notices come last, so that transactions do not wait for each other in a circle.
    for (const removed of removals) await this.notices.identifierChanged(manager, removed, null, origin);
  }
}
