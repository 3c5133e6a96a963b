import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { callingCodeOf } from '../../platform/values/phone-number';
import { AppConfig } from '../../platform/settings/config';
import { Clock } from '../../platform/clock';
import type { Channel } from '../../messages/message';
import { Metrics } from '../../platform/metrics/metrics';
import type { SendBound } from './send-metrics';
import { Secrets } from '../../platform/secrets/secrets';
import { SendAllowanceRepository } from './send-allowance.repository';
import { SENDS_PER_CONSUMER, SENDS_PER_CONSUMER_IP, SENDS_PER_TOUCHPOINT, smsPerCallingCode } from './send-bounds';
import { SendMetrics } from './send-metrics';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A message that somebody asks for. */
export interface AskedSend {
  channel: Channel;
  /** Canonical. */
  address: string;
  touchpointId: string;
  /** The consumer who asks, if there is one already. */
  consumerId: string | null;
  /** The consumer's network address, if the touchpoint sent it. */
  consumerIp: string | null;
}

/** A limit that was reached, and when messages may be sent again. */
export interface ReachedBound {
  bound: SendBound;
  until: Date;
}

interface Allowance {
  bound: SendBound;
  key: string;
  /** 0 is unlimited. */
  allowed: number;
  endsAt: Date;
}

/** Limits the messages that one consumer, network address or touchpoint can cause, to any addresses. */
@Injectable()
export class SendAllowances {
  /** For each touchpoint, as of the latest SMS in this process. */
  private readonly smsUsed = new Map<string, { ratio: number; endsAt: Date }>();

  constructor(
    private readonly counts: SendAllowanceRepository,
    private readonly secrets: Secrets,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    metrics?.of(SendMetrics).watch(() => this.greatestSmsUse());
  }

  /**
   * Counts one send at every allowance, or answers the limits that were reached: then the transaction must not be
   * committed.
   */
  async take(manager: EntityManager, send: AskedSend): Promise<ReachedBound[]> {
    const now = this.clock.now();
    const allowances = this.allowancesOf(send, now).filter(({ allowed }) => allowed > 0);
    const counted = await this.counts.countSend(manager, allowances, now);
    const used = new Map(counted.map((row) => [row.key, row.used]));
    this.observeSms(allowances, used);
    const reached = allowances.filter(({ key }) => !used.has(key));
    return reached.length === 0 ? [] : this.ends(manager, reached);
  }

  /** How many messages a touchpoint has sent in this hour, and how many SMS today; 0 allowed is unlimited. */
  async usedBy(touchpointId: string): Promise<Record<'hour' | 'smsToday', { used: number; allowed: number }>> {
    const keys = { hour: hourKey(touchpointId), smsToday: smsDayKey(touchpointId) };
    const found = await this.counts.findUsed(Object.values(keys), this.clock.now());
    const usedAt = (key: string) => found.find((row) => row.key === key)?.used ?? 0;
    return {
      hour: { used: usedAt(keys.hour), allowed: SENDS_PER_TOUCHPOINT },
      smsToday: { used: usedAt(keys.smsToday), allowed: this.config.smsDailyLimit },
    };
  }

  private async ends(manager: EntityManager, reached: Allowance[]): Promise<ReachedBound[]> {
    const rows = await this.counts.findEnds(
      manager,
      reached.map(({ key }) => key),
    );
    return reached.map(({ bound, key, endsAt }) => ({
      bound,
      until: rows.find((row) => row.key === key)?.endsAt ?? endsAt,
    }));
  }

  /** Always in this order, so that sends do not deadlock; the rows that most of them share come last. */
  private allowancesOf({ channel, address, touchpointId, consumerId, consumerIp }: AskedSend, now: Date): Allowance[] {
    const hourly = (bound: SendBound, key: string, allowed: number): Allowance => ({
      ...{ bound, key, allowed, endsAt: new Date(now.getTime() + HOUR) },
    });
    const { smsDailyLimit } = this.config;
    const midnight = new Date((Math.floor(now.getTime() / DAY) + 1) * DAY);
    return [
      ...(consumerId === null ? [] : [hourly('consumer', this.digest('consumer', consumerId), SENDS_PER_CONSUMER)]),
      ...(consumerIp === null
        ? []
        : [hourly('consumer_ip', this.digest('consumer-ip', touchpointId, consumerIp), SENDS_PER_CONSUMER_IP)]),
      ...(channel === 'sms'
        ? [
            hourly(
              'calling_code',
              `calling-code:${touchpointId}:${callingCodeOf(address)}`,
              smsPerCallingCode(smsDailyLimit),
            ),
            { bound: 'sms_day' as const, key: smsDayKey(touchpointId), allowed: smsDailyLimit, endsAt: midnight },
          ]
        : []),
      hourly('touchpoint', hourKey(touchpointId), SENDS_PER_TOUCHPOINT),
    ];
  }

  private digest(kind: string, ...parts: string[]): string {
    return `${kind}:${this.secrets.digest('send-limit', [kind, ...parts].join('\n')).toString('base64url')}`;
  }

  private observeSms(allowances: Allowance[], used: Map<string, number>): void {
    const daily = allowances.find(({ bound }) => bound === 'sms_day');
    if (!daily) return;
    const { key, allowed, endsAt } = daily;
    this.smsUsed.set(key, { ratio: (used.get(key) ?? allowed) / allowed, endsAt });
  }

  private greatestSmsUse(): number {
    const now = this.clock.now();
    const today = [...this.smsUsed.values()].filter(({ endsAt }) => endsAt > now);
    return Math.max(0, ...today.map(({ ratio }) => ratio));
  }
}

const hourKey = (touchpointId: string): string => `touchpoint:${touchpointId}`;
const smsDayKey = (touchpointId: string): string => `sms-day:${touchpointId}`;
