import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import { type Origin, SERVICE_ORIGIN } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import type { Job } from '../../platform/jobs/fair-fetch';
import { Jobs } from '../../platform/jobs/jobs.service';
import { LOGGER } from '../../platform/logger';
import { Metrics } from '../../platform/metrics/metrics';
import { type Channel, CHANNELS, type MessageKind } from '../message';
import { queueOf, type QueuedMessage } from './message-queue';
import { MessageSeal } from './message-seal';
import { RetryPolicy } from './retry-policy';
import { render } from '../templates/render';
import { DeliveryError } from '../transports/delivery-error';
import { MESSAGE_TRANSPORTS, type MessageTransports } from '../transports/message-transport';
import { MessageMetrics } from '../metrics/message-metrics';

/** As many as the SMTP transport has connections, so that no message waits inside it. */
const CONCURRENCY = 5;

/** How long a code works that was queued before messages said when they expire. */
const UNSAID_LIFETIME_SECONDS = 10 * 60;

/** What the log says of a message. */
interface MessageLog {
  messageId: string;
  channel: Channel;
  kind: MessageKind;
  attempts: number;
}

/** The service acts by itself, on a message that a touchpoint has caused. */
const originOf = ({ party }: Job): Origin => ({ ...SERVICE_ORIGIN, ...(party !== '' && { touchpoint: party }) });

/** How long it had waited when this attempt began, by the database's clock alone. */
const ageSecondsOf = ({ startedOn, createdOn }: Job): number => (startedOn.getTime() - createdOn.getTime()) / 1000;

/** Takes messages from the queue and hands them over. */
@Injectable()
export class MessageDelivery implements OnModuleInit, OnApplicationShutdown {
  private readonly metrics: MessageMetrics | undefined;

  constructor(
    private readonly jobs: Jobs,
    private readonly seal: MessageSeal,
    private readonly retries: RetryPolicy,
    @Inject(MESSAGE_TRANSPORTS) private readonly transports: MessageTransports,
    private readonly audit: AuditService,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.metrics = metrics?.of(MessageMetrics);
  }

  onModuleInit(): void {
    for (const channel of CHANNELS) {
      this.jobs.work<QueuedMessage>(queueOf(channel), CONCURRENCY, (job) => this.handle(channel, job));
    }
  }

  onApplicationShutdown(): void {
    for (const channel of CHANNELS) this.transports[channel].close?.();
  }

  private async handle(channel: Channel, job: Job<QueuedMessage>): Promise<void> {
    const about: MessageLog = { messageId: job.id, channel, kind: job.data.kind, attempts: job.retryCount + 1 };
    try {
      if (this.hasExpired(job)) {
        await this.drop(job, about);
        return;
      }
      const failure = await this.deliver(job);
      if (failure) await this.defer(job, failure, about);
      else await this.jobs.settle.remove(job);
    } catch (err) {
      // The queue hands the message out again once its time is over.
      this.logger.error({ err, ...about }, 'A message could not be settled');
    }
  }

  private hasExpired(job: Job<QueuedMessage>): boolean {
    const { kind, expiresAt } = job.data;
    if (expiresAt !== undefined) return Date.parse(expiresAt) <= this.clock.epochMs();
    return kind === 'verification-code' && ageSecondsOf(job) >= UNSAID_LIFETIME_SECONDS;
  }

  /** Recorded once, also where another process has been given the message meanwhile. */
  private async drop(job: Job<QueuedMessage>, about: MessageLog): Promise<void> {
    const details = { messageId: job.id, kind: job.data.kind };
    const isOurs = await this.dataSource.transaction(async (manager) => {
      if (!(await this.jobs.settle.cancel(manager, job))) return false;
      const failure = 'the code expired before it could be handed over';
      await this.audit.record(manager, originOf(job), { type: 'message.expired', details, failure });
      return true;
    });
    if (!isOurs) return;
    this.metrics?.expire(about.channel);
    this.logger.warn(about, 'A code expired before it could be handed over and was dropped');
  }

  /** Why the message was not taken, or null when it was. */
  private async deliver(job: Job<QueuedMessage>): Promise<DeliveryError | null> {
    try {
      const message = this.seal.open(job.id, job.data);
      if (!message) return new DeliveryError('damaged, or sealed with an unknown APP_SECRET');
      const rendered = render(job.id, message);
      if (rendered.channel === 'email') await this.transports.email.deliver(rendered);
      else await this.transports.sms.deliver(rendered);
      return null;
    } catch (error) {
      // The text of any other error may hold an address.
      return error instanceof DeliveryError ? error : new DeliveryError('internal error', { cause: error });
    }
  }

  private async defer(job: Job<QueuedMessage>, { reason, refused }: DeliveryError, about: MessageLog): Promise<void> {
    const attempts = job.retryCount + 1;
    const delaySeconds = this.retries.nextDelaySeconds({ attempts, ageSeconds: ageSecondsOf(job), refused });
    if (delaySeconds === null) {
      const details = { messageId: job.id, kind: job.data.kind };
      await this.audit.record(this.dataSource.manager, originOf(job), {
        ...{ type: 'message.given-up', details, failure: reason },
      });
      await this.jobs.settle.fail(job, reason);
      this.logger.error({ ...about, reason }, 'A message was given up');
    } else {
      await this.jobs.settle.retry(job, delaySeconds, reason);
      this.logger.warn({ ...about, reason }, 'A message could not be handed over and will be tried again');
    }
  }
}
