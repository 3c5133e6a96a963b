import { Counter, type Registry } from 'prom-client';
import { gauge } from '../../platform/metrics/gauge';

/** The limits on messages, as the label `bound` names them. */
const BOUNDS = ['destination', 'consumer', 'consumer_ip', 'touchpoint', 'calling_code', 'sms_day', 'notices'] as const;
export type SendBound = (typeof BOUNDS)[number];

/** Counts messages refused by a limit, and shows how much of the SMS allowance is used. */
export class SendMetrics {
  private readonly refused: Counter<'bound'>;

  constructor(private readonly registry: Registry) {
    this.refused = new Counter({
      name: 'consumer_service_sends_refused_total',
      help: 'Messages not sent because a limit was reached.',
      labelNames: ['bound'],
      registers: [registry],
    });
    for (const bound of BOUNDS) this.refused.inc({ bound }, 0);
  }

  watch(smsAllowanceUsed: () => number): void {
    gauge(
      this.registry,
      'consumer_service_sms_allowance_used_ratio',
      'Used part of SMS_DAILY_LIMIT, of the touchpoint with the most SMS.',
      smsAllowanceUsed,
    );
  }

  refuse(bound: SendBound): void {
    this.refused.inc({ bound });
  }
}
