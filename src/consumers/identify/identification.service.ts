import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { type Assertion, AssertionVerifier } from '../../auth/assertions/assertion-verifier';
import { AlreadyLinked, ExternalIdentitiesService } from '../../auth/assertions/external-identities.service';
import { consumerDisabled } from '../../auth/login/invalid-credentials';
import type { Caller } from '../../auth/sessions/caller';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import type { Draft } from '../../platform/http/validation/validation';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { OwnerNotices } from '../../verification/sending/owner-notices';
import { phoneViolations } from '../../verification/phone-rules';
import { registrationFrom, trustedEmail } from './claimed-profile';
import { ConsumerCreationService, type Registration } from '../registration/consumer-creation.service';
import { IdempotencyService } from '../idempotency/idempotency.service';
import type { Lease } from '../idempotency/lease';
import type { Outcome } from '../idempotency/outcome';
import type { IdentifyDto } from './identify.dto';
import { profileViolations } from '../../profiles/profile-rules';

/**
 * After a lost race the next try finds what the winner made; a third loss would need a consumer who is erased in
 * between.
 */
const MAX_ATTEMPTS = 3;

/** Opens sessions for consumers whom a trusted issuer has authenticated; makes those who are new. */
@Injectable()
export class IdentificationService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly assertions: AssertionVerifier,
    private readonly externalIdentities: ExternalIdentitiesService,
    private readonly consumers: ConsumerRepository,
    private readonly creation: ConsumerCreationService,
    private readonly sessions: SessionsService,
    private readonly notices: OwnerNotices,
    private readonly clock: Clock,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** 201 when the consumer is new, else 200. */
  async identify(caller: Caller, draft: Draft<IdentifyDto>, lease: Lease): Promise<Outcome> {
    const { touchpoint } = caller;
    const {
      assertion: token,
      password: _,
      ...given
    } = draft.accept([
      ...lease.violations,
      ...profileViolations(draft.fields, this.clock.now()),
      ...phoneViolations(touchpoint, draft.fields.phone),
    ]);
    const assertion = await this.assertions.verify(token, touchpoint);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.dataSource.transaction(async (manager) =>
          this.idempotency.settle(manager, lease, await this.attempt(manager, caller, assertion, given)),
        );
      } catch (error) {
        if (!hasLostRace(error, assertion)) throw error;
        if (attempt < MAX_ATTEMPTS) continue;
        throw error instanceof ApiError ? error : new ApiError('SERVICE_UNAVAILABLE', { cause: error });
      }
    }
  }

  /** All or nothing: after a refusal the assertion can be used again. */
  private async attempt(
    manager: EntityManager,
    caller: Caller,
    assertion: Assertion,
    given: Partial<Registration>,
  ): Promise<Outcome> {
    const { issuer } = assertion.provider;
    const external = { issuer, subject: assertion.subject };
    const email = trustedEmail(assertion);
    await this.externalIdentities.spend(manager, assertion);
    const linked = await this.externalIdentities.holdLinkedConsumer(manager, external);
    const owner =
      linked === null && email !== null
        ? await this.externalIdentities.linkToOwner(manager, external, email, caller.origin)
        : null;
    const known = linked ?? owner;
    if (known !== null && (await this.consumers.findDisabledAt(manager, known))) throw consumerDisabled(known);
    const consumerId = known ?? (await this.create(manager, caller, assertion, given));
    const session = await this.sessions.issueForAssertion(manager, caller, consumerId, issuer);
    if (owner !== null) await this.notices.identityLinked(manager, owner, issuer, caller.origin);
    return { status: known === null ? 201 : 200, body: session };
  }

  private create(
    manager: EntityManager,
    caller: Caller,
    assertion: Assertion,
    given: Partial<Registration>,
  ): Promise<string> {
    return this.creation.add(manager, caller, {
      ...registrationFrom(caller.touchpoint, assertion, given),
      passwordHash: null,
      ...(trustedEmail(assertion) !== null && { proven: 'email' }),
      external: { issuer: assertion.provider.issuer, subject: assertion.subject },
      by: 'identification',
    });
  }
}

/** Whether another transaction has just made the same, so that the next try finds it. */
function hasLostRace(error: unknown, assertion: Assertion): boolean {
  if (error instanceof AlreadyLinked) return true;
  const isTaken = error instanceof ApiError && error.code === 'IDENTIFIER_TAKEN';
  return isTaken && trustedEmail(assertion) !== null && (error.errors ?? []).some(({ field }) => field === 'email');
}
