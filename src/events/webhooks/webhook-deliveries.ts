import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { AuditService } from '../../audit/audit.service';
import { Clock } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { Lifecycle } from '../../platform/lifecycle';
import { LOGGER } from '../../platform/logger';
import { pause, waitAtMost } from '../../platform/pause';
import { EventDto } from '../feed/event.dto';
import { EventReader, EventsExpired, type EventPage } from '../log/event-reader';
import { typesFor } from '../log/event-types';
import { type EventRange, EventRepository } from '../log/event.repository';
import { Sequencer } from '../log/sequencer';
import { WebhookFailure, WebhookSender } from './webhook-sender';
import { type TakenWebhook, WebhookRepository } from './webhook.repository';

/** How often to check whether an event waits, in milliseconds. */
const POLL_INTERVAL = 1_000;
/** Subscribers that this process sends to at a time: each gets one event after the other. */
const LANES = 4;
const PAGE_EVENTS = 100;
/** With the deadline of one more request this is less than the lease; in milliseconds. */
const SENDS_FOR = 40_000;
/** In seconds; doubled with each failure. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 3_600;
const INTERNAL_REASON = 'the service could not push now, and tries again: its log says why';

/** Pushes the log to the subscribers that have a webhook: in order, one event a request, at least once. */
@Injectable()
export class WebhookDeliveries implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly lanes = new Set<Promise<void>>();
  private running: Promise<void> | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly webhooks: WebhookRepository,
    private readonly events: EventRepository,
    private readonly reader: EventReader,
    private readonly sequencer: Sequencer,
    private readonly sender: WebhookSender,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
    private readonly lifecycle: Lifecycle,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await waitAtMost(this.lifecycle.remainingForWork(), Promise.all([this.running, ...this.lanes]));
  }

  /** Only one query a second while no webhook is due. */
  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.beginWhatIsDue().catch((err: unknown) => {
        this.logger.warn({ err }, 'Events could not be pushed now');
      });
      await pause(POLL_INTERVAL, this.stopping.signal);
    }
  }

  private async beginWhatIsDue(): Promise<void> {
    if (!(await this.webhooks.anyIsDue())) return;
    await this.sequencer.catchUp();
    while (this.lanes.size < LANES && !this.stopping.signal.aborted) {
      const webhook = await this.webhooks.take();
      if (!webhook) return;
      const lane: Promise<void> = this.deliverAll(webhook).finally(() => this.lanes.delete(lane));
      this.lanes.add(lane);
    }
  }

  /**
   * If this process cannot read the log or record the result, another one continues when the lease ends. The receiver is
   * not to blame, so that this is no failure of its webhook.
   */
  private async deliverAll(webhook: TakenWebhook): Promise<void> {
    try {
      const failure = await this.failureOf(webhook);
      if (failure === null) await this.webhooks.release(webhook);
      else await this.fail(webhook, failure);
    } catch (err) {
      this.logger.warn({ err, subscriber: webhook.code }, 'Events could not be pushed now');
      await this.webhooks.explain(webhook, INTERNAL_REASON).catch(() => undefined);
    }
  }

  /** Why an event was not taken; null: all were. */
  private async failureOf(webhook: TakenWebhook): Promise<string | null> {
    try {
      await this.deliver(webhook);
      return null;
    } catch (error) {
      if (error instanceof WebhookFailure) return error.message;
      throw error;
    }
  }

  private async deliver(webhook: TakenWebhook): Promise<void> {
    const begun = this.clock.monotonicMs();
    const isOver = () => this.stopping.signal.aborted || this.clock.monotonicMs() - begun > SENDS_FOR;
    const { position: upTo } = await this.events.readHead();
    let after = BigInt(webhook.acknowledged);
    while (after < upTo && !isOver()) {
      const { events, readUpTo } = await this.pageFor(webhook, { after, upTo });
      for (const event of events) {
        if (isOver()) return;
        await this.sender.send(webhook, EventDto.from(event, this.config.jwtIssuer));
        webhook.failures = 0;
        const taken = BigInt(event.position);
        if (!(await this.webhooks.advance(webhook, { after, upTo: taken }, this.clock.now()))) return;
        after = taken;
      }
      if (readUpTo === after) continue;
      // The other events are not for this subscriber.
      if (!(await this.webhooks.advance(webhook, { after, upTo: readUpTo }, this.clock.now()))) return;
      after = readUpTo;
    }
  }

  private async pageFor({ types, touchpoints }: TakenWebhook, range: EventRange): Promise<EventPage> {
    try {
      return await this.reader.page({ types: typesFor(types), touchpoints }, range, PAGE_EVENTS);
    } catch (error) {
      if (!(error instanceof EventsExpired)) throw error;
      throw new WebhookFailure(`${error.message}: rewind it to there`, { cause: error });
    }
  }

  private async fail(webhook: TakenWebhook, reason: string): Promise<void> {
    const { code, failures } = webhook;
    const seconds = Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
    const isGivenUp = await this.dataSource.transaction(async (manager) => {
      const givenUp = await this.webhooks.fail(manager, webhook, reason, seconds);
      const details = { code, reason };
      if (givenUp) await this.audit.record(manager, SERVICE_ORIGIN, { type: 'subscriber.webhook-disabled', details });
      return givenUp;
    });
    this.logger.warn(
      { subscriber: code, reason },
      isGivenUp ? 'A webhook has failed for five days and is disabled' : 'A webhook did not take an event',
    );
  }
}
