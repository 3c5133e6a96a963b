import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import { type Origin, SERVICE_ORIGIN } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { LOGGER } from '../../platform/logger';
import { Metrics } from '../../platform/metrics/metrics';
import type { Channel, MessageKind } from '../message';
import { MessageMetrics } from '../metrics/message-metrics';
import { render } from '../templates/render';
import { DeliveryError } from '../transports/delivery-error';
import { MESSAGE_TRANSPORTS, type MessageTransports } from '../transports/message-transport';
import { MessageSeal } from './message-seal';
import { MessageRepository, type TakenMessage } from './message.repository';
import { RetryPolicy } from './retry-policy';

/** More attempts than there are in a day of failures: only a message whose process dies each time reaches it. */
const MOST_ATTEMPTS = 1_000;

const SETTLING_TRIES = 5;
const SETTLING_PAUSE_MS = 2_000;

/** What the log says about a message. */
interface MessageLog {
  messageId: string;
  channel: Channel;
  kind: MessageKind;
  attempts: number;
}

const logOf = ({ id, channel, kind, attempts }: TakenMessage): MessageLog => ({
  ...{ messageId: id, channel, kind, attempts },
});

/** The service acts, for the touchpoint that caused the message. */
const originOf = ({ touchpoint }: TakenMessage): Origin => ({
  ...SERVICE_ORIGIN,
  ...(touchpoint !== '' && { touchpoint }),
});

/** Sends a message from the queue, and records the result. */
@Injectable()
export class MessageDelivery {
  private readonly metrics: MessageMetrics | undefined;

  constructor(
    private readonly messages: MessageRepository,
    private readonly seal: MessageSeal,
    private readonly retries: RetryPolicy,
    @Inject(MESSAGE_TRANSPORTS) private readonly transports: MessageTransports,
    private readonly audit: AuditService,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.metrics = metrics?.of(MessageMetrics);
  }

  /** Does not reject: a message without a recorded result is taken again when its lease is over. */
  async handle(message: TakenMessage): Promise<void> {
    try {
      await this.handOver(message);
    } catch (err) {
      this.logger.error({ err, ...logOf(message) }, 'The result of a message could not be recorded');
    }
  }

  private async handOver(message: TakenMessage): Promise<void> {
    const { id, expiresAt, attempts, ageSeconds } = message;
    if (expiresAt !== null && expiresAt.getTime() <= this.clock.epochMs()) return this.drop(message);
    if (attempts > MOST_ATTEMPTS) return this.giveUp(message, 'its process died each time');
    const failure = await this.deliver(message);
    if (!failure) return settled(() => this.messages.remove(id));
    const { reason, refused } = failure;
    const delaySeconds = this.retries.nextDelaySeconds({ attempts, ageSeconds, refused });
    if (delaySeconds === null) return this.giveUp(message, reason);
    await settled(() => this.messages.retry(message, delaySeconds, reason));
    this.logger.warn({ ...logOf(message), reason }, 'A message could not be handed over and will be tried again');
  }

  /** Why the message was not accepted, or null if it was. */
  private async deliver({ id, key, sealed }: TakenMessage): Promise<DeliveryError | null> {
    try {
      const message = this.seal.open(id, { key, sealed });
      if (!message) return new DeliveryError('damaged, or sealed with an unknown APP_SECRET');
      const rendered = render(id, message, this.config.supportContact ?? null);
      if (message.isDecoy) return null;
      if (rendered.channel === 'email') await this.transports.email.deliver(rendered);
      else await this.transports.sms.deliver(rendered);
      return null;
    } catch (error) {
      // The text of any other error may hold an address.
      return error instanceof DeliveryError ? error : new DeliveryError('internal error', { cause: error });
    }
  }

  private async drop(message: TakenMessage): Promise<void> {
    if (!(await this.end(message, 'expired', 'the code expired before it could be handed over'))) return;
    this.metrics?.expire(message.channel);
    this.logger.warn(logOf(message), 'A code expired before it could be handed over and was dropped');
  }

  private async giveUp(message: TakenMessage, reason: string): Promise<void> {
    if (!(await this.end(message, 'failed', reason))) return;
    this.logger.error({ ...logOf(message), reason }, 'A message was given up');
  }

  /** Recorded once, even if another process has taken the message meanwhile; false if that one was first. */
  private end(message: TakenMessage, state: 'expired' | 'failed', failure: string): Promise<boolean> {
    const type = state === 'expired' ? 'message.expired' : 'message.given-up';
    const details = { messageId: message.id, kind: message.kind };
    return settled(() =>
      this.dataSource.transaction(async (manager) => {
        if (!(await this.messages.end(manager, message, state, failure))) return false;
        await this.audit.record(manager, originOf(message), { type, details, failure });
        return true;
      }),
    );
  }
}

/** Tries again while the database is briefly away: otherwise the message would be sent twice. */
async function settled<T>(settle: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await settle();
    } catch (error) {
      if (tries >= SETTLING_TRIES) throw error;
      await sleep(SETTLING_PAUSE_MS);
    }
  }
}
