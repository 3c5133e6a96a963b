import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import type { Channel } from '../../messages/message';
import { Metrics } from '../../platform/metrics/metrics';
import { SANDBOX, type Sandbox } from '../../platform/sandbox';
import { Secrets } from '../../platform/secrets/secrets';
import { type AskedSend, type ReachedBound, SendAllowances } from './send-allowances.service';
import { COOL_DOWN, NOTICES_PER_DESTINATION, SENDS_PER_DESTINATION } from './send-bounds';
import { SendLimitRepository } from './send-limit.repository';
import { SendMetrics } from './send-metrics';

const HOUR = 3_600_000;

/** How long a send counts, in milliseconds. */
export const SEND_MEMORY_MS = HOUR;

/** Where a message is to go; the address is canonical. */
export interface LimitedDestination {
  channel: Channel;
  address: string;
}

/** Limits what is sent: to one address, and by the allowances of those who ask. */
@Injectable()
export class SendLimitsService {
  constructor(
    private readonly sends: SendLimitRepository,
    private readonly allowances: SendAllowances,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    @Inject(SANDBOX) private readonly sandbox: Sandbox | null,
    @Inject(Metrics) private readonly metrics: Metrics | null,
  ) {}

  /** Counts one send to the address, or refuses with `RESEND_TOO_SOON`; answers when the next one is allowed. */
  async take(manager: EntityManager, destination: LimitedDestination): Promise<Date> {
    const now = this.clock.now();
    if (this.sandbox?.isTestAddress(destination.address)) return now;
    const key = this.keyOf(limited(destination));
    const [counted] = await this.sends.countSends(manager, [key], now, {
      sends: SENDS_PER_DESTINATION,
      since: new Date(now.getTime() - HOUR),
      cooledDown: new Date(now.getTime() - COOL_DOWN),
    });
    if (counted) return nextSend(counted.sentAt);
    throw this.refusal([{ bound: 'destination', until: nextSend(await this.sends.findSends(manager, key)) }]);
  }

  /**
   * Counts one send by those who ask, or refuses with `RESEND_TOO_SOON`; the rollback then undoes the counts. Comes
   * last in the transaction, because all sends of a touchpoint wait for these rows until the commit.
   */
  async takeAllowances(manager: EntityManager, send: AskedSend): Promise<void> {
    if (this.sandbox?.isTestAddress(send.address)) return;
    const reached = await this.allowances.take(manager, send);
    if (reached.length > 0) throw this.refusal(reached);
  }

  /** A send can succeed when all of these limits allow it again. */
  private refusal(reached: ReachedBound[]): ApiError {
    for (const { bound } of reached) this.metrics?.of(SendMetrics).refuse(bound);
    const until = Math.max(...reached.map((each) => each.until.getTime()));
    const reason = `bound reached: ${reached.map(({ bound }) => bound).join(', ')}`;
    const retryAfterSeconds = (until - this.clock.epochMs()) / 1000;
    return new ApiError('RESEND_TOO_SOON', { retryAfterSeconds, refusal: { reason } });
  }

  /** Counts a notice to each destination, and answers those that had room. */
  async admitNotices<T extends LimitedDestination>(manager: EntityManager, destinations: T[]): Promise<T[]> {
    const isLimited = ({ address }: T) => this.sandbox?.isTestAddress(address) !== true;
    const keyed = destinations
      .filter(isLimited)
      .map((destination) => ({ destination, key: this.keyOf(limitedNotices(destination)) }));
    const now = this.clock.now();
    const counted = await this.sends.countSends(
      manager,
      keyed.map(({ key }) => key),
      now,
      { sends: NOTICES_PER_DESTINATION, since: new Date(now.getTime() - HOUR), cooledDown: null },
    );
    const refused = keyed.filter(({ key }) => !counted.some((row) => row.key.equals(key)));
    return destinations.filter((each) => !refused.some(({ destination }) => destination === each));
  }

  /** Forgets the requested messages to these destinations. */
  async forget(manager: EntityManager, destinations: LimitedDestination[]): Promise<void> {
    await this.remove(manager, destinations.map(limited));
  }

  /** Forgets the notices to these destinations. */
  async forgetNotices(manager: EntityManager, destinations: LimitedDestination[]): Promise<void> {
    await this.remove(manager, destinations.map(limitedNotices));
  }

  private async remove(manager: EntityManager, values: string[]): Promise<void> {
    await this.sends.deleteKeys(
      manager,
      values.flatMap((value) => this.secrets.digests('send-limit', this.limitKey(value))),
    );
  }

  private keyOf(value: string): Buffer {
    return this.secrets.digest('send-limit', this.limitKey(value));
  }

  private limitKey(value: string): string {
    return this.sandbox?.limitKey(value) ?? value;
  }
}

/** All tags of an e-mail address (`ada+tag@example.com`) are one destination: one person reads what is sent to them. */
const limited = ({ channel, address }: LimitedDestination): string =>
  `${channel}\n${channel === 'email' ? address.replace(/(.)\+[^@]*/, '$1') : address}`;

const limitedNotices = (destination: LimitedDestination): string => `notices\n${limited(destination)}`;

function nextSend(sentAt: Date[]): Date {
  const last = sentAt.at(-1)?.getTime() ?? 0;
  const first = sentAt.length < SENDS_PER_DESTINATION ? 0 : (sentAt[0]?.getTime() ?? 0);
  return new Date(Math.max(last + COOL_DOWN, first + HOUR));
}
