import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import { Secrets } from '../platform/secrets';
import type { Channel } from '../platform/messages/message';

/** Times in milliseconds. */
const COOL_DOWN = 60_000;
const HOUR = 3_600_000;

/** How long a send counts, in milliseconds. */
export const SEND_MEMORY_MS = HOUR;
const SENDS_AN_HOUR = 5;

/** Bounds what is sent to one address, whoever asks for it: a registration or a consumer. */
@Injectable()
export class SendLimitsService {
  constructor(
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** Counts one send, or refuses with `RESEND_TOO_SOON`; answers when the next one may follow. */
  async take(manager: EntityManager, channel: Channel, destination: string): Promise<Date> {
    const key = this.secrets.digest('send-limit', limited(channel, destination));
    const now = this.clock.now();
    const cooledDown = new Date(now.getTime() - COOL_DOWN);
    const hourAgo = new Date(now.getTime() - HOUR);
    // The conditional update decides: of requests in parallel only one is counted.
    const [counted] = await manager.query<{ sentAt: Date[] }[]>(
      `INSERT INTO send_limit AS known (key, sent_at, last_sent_at) VALUES ($1, ARRAY[$2::timestamptz], $2)
       ON CONFLICT (key) DO UPDATE SET
         sent_at = (known.sent_at || $2::timestamptz)[greatest(1, cardinality(known.sent_at) + 2 - $5::int):],
         last_sent_at = $2
       WHERE known.last_sent_at <= $3 AND (cardinality(known.sent_at) < $5 OR known.sent_at[1] <= $4)
       RETURNING sent_at AS "sentAt"`,
      [key, now, cooledDown, hourAgo, SENDS_AN_HOUR],
    );
    if (counted) return nextSend(counted.sentAt);
    const [known] = await manager.query<{ sentAt: Date[] }[]>(
      'SELECT sent_at AS "sentAt" FROM send_limit WHERE key = $1',
      [key],
    );
    const retryAfterSeconds = (nextSend(known?.sentAt ?? []).getTime() - now.getTime()) / 1000;
    throw new ApiError('RESEND_TOO_SOON', { retryAfterSeconds });
  }

  /** Forgets what was sent to these destinations. */
  async forget(manager: EntityManager, destinations: { channel: Channel; address: string }[]): Promise<void> {
    const keys = destinations.flatMap(({ channel, address }) =>
      this.secrets.digests('send-limit', limited(channel, address)),
    );
    await manager.query(
      `DELETE FROM send_limit
       WHERE key IN (SELECT key FROM send_limit WHERE key = ANY($1) ORDER BY key FOR UPDATE)`,
      [keys],
    );
  }
}

const limited = (channel: Channel, destination: string): string => `${channel}\n${destination}`;

function nextSend(sentAt: Date[]): Date {
  const last = sentAt.at(-1)?.getTime() ?? 0;
  const first = sentAt.length < SENDS_AN_HOUR ? 0 : (sentAt[0]?.getTime() ?? 0);
  return new Date(Math.max(last + COOL_DOWN, first + HOUR));
}
