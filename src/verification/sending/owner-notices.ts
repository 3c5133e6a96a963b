import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identifier } from '../../auth/identifiers/identifier.entity';
import { IdentifiersService } from '../../auth/identifiers/identifiers.service';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import type { MessageOf } from '../../messages/message';
import { Messages } from '../../messages/messages.service';
import { Metrics } from '../../platform/metrics/metrics';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { CHANNEL_OF, maskedDestination } from '../channel';
import { SendLimitsService } from './send-limits.service';
import { SendMetrics } from './send-metrics';
import { issuerName } from './short-name';

/** The content of a notice, without its recipient. */
type Notice =
  | Pick<MessageOf<'identifier-changed'>, 'kind' | 'newDestinationMasked'>
  | Pick<MessageOf<'identity-linked'>, 'kind' | 'issuerName'>
  | Pick<MessageOf<'password-changed'>, 'kind'>
  | Pick<MessageOf<'password-recovered'>, 'kind'>
  | Pick<MessageOf<'recovery-advised'>, 'kind'>;

/**
 * Tells consumers what happened to their account, at their proven addresses: a claimed one may be a stranger's. Joins
 * the transaction of the change, and comes last in it, so that transactions for the same address do not deadlock.
 */
@Injectable()
export class OwnerNotices {
  constructor(
    private readonly identifiers: IdentifiersService,
    private readonly consumers: ConsumerRepository,
    private readonly limits: SendLimitsService,
    private readonly messages: Messages,
    private readonly audit: AuditService,
    @Inject(Metrics) private readonly metrics: Metrics | null,
  ) {}

  /** To the former address, when a verified identifier has been replaced or removed. */
  async identifierChanged(
    manager: EntityManager,
    former: Identifier,
    replacement: string | null,
    origin: Origin,
  ): Promise<void> {
    const newDestinationMasked = replacement && maskedDestination(CHANNEL_OF[former.kind], replacement);
    const notice = { kind: 'identifier-changed', newDestinationMasked } as const;
    await this.send(manager, former.consumerId, [former], notice, origin);
  }

  async passwordChanged(manager: EntityManager, consumerId: string, origin: Origin): Promise<void> {
    await this.tell(manager, consumerId, { kind: 'password-changed' }, origin);
  }

  async passwordRecovered(manager: EntityManager, consumerId: string, origin: Origin): Promise<void> {
    await this.tell(manager, consumerId, { kind: 'password-recovered' }, origin);
  }

  async identityLinked(manager: EntityManager, consumerId: string, issuer: string, origin: Origin): Promise<void> {
    await this.tell(manager, consumerId, { kind: 'identity-linked', issuerName: issuerName(issuer) }, origin);
  }

  /** Answers to how many addresses it goes. */
  recoveryAdvised(manager: EntityManager, consumerId: string, origin: Origin): Promise<number> {
    return this.tell(manager, consumerId, { kind: 'recovery-advised' }, origin);
  }

  /** To every address that the consumer has proven; answers to how many it goes. */
  private async tell(manager: EntityManager, consumerId: string, notice: Notice, origin: Origin): Promise<number> {
    const verified = await this.identifiers.verifiedOf(manager, consumerId);
    return this.send(manager, consumerId, verified, notice, origin);
  }

  private async send(
    manager: EntityManager,
    consumerId: string,
    verified: Identifier[],
    notice: Notice,
    origin: Origin,
  ): Promise<number> {
    const destinations = verified.map(({ kind, value }) => ({ channel: CHANNEL_OF[kind], address: value }));
    const locale = await this.consumers.findLocale(manager, consumerId);
    const admitted = await this.limits.admitNotices(manager, destinations);
    for (const destination of destinations) {
      const { channel, address } = destination;
      if (admitted.includes(destination)) {
        const about = { consumerId, touchpoint: origin.touchpoint };
        await this.messages.enqueue(manager, { ...notice, ...about, channel, to: address, locale });
        continue;
      }
      this.metrics?.of(SendMetrics).refuse('notices');
      const details = { kind: notice.kind, channel, destination: maskedDestination(channel, address) };
      const failure = 'too many notices to the address';
      await this.audit.record(manager, origin, { type: 'notice.dropped', consumerId, details, failure });
    }
    return admitted.length;
  }
}
