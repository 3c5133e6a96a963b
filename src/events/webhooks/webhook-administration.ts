import { isIP } from 'node:net';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { CLEARING_SECONDS, ScheduledJobs } from '../../platform/jobs/scheduled-jobs';
import { AppConfig } from '../../platform/settings/config';
import { newId, randomSecret } from '../../platform/random';
import { isSafeHttpAddress, SAFE_HTTP_ADDRESS } from '../../platform/values/safe-address';
import { seal, type Sealed } from '../../platform/secrets/sealing';
import { Secrets } from '../../platform/secrets/secrets';
import { EventDto } from '../feed/event.dto';
import type { LoggedEvent } from '../log/event.repository';
import { SubscriberError } from '../subscribers/subscriber.error';
import { type SubscriberState, SubscribersService } from '../subscribers/subscribers.service';
import { isWithin } from './public-address';
import { WebhookFailure, WebhookSender } from './webhook-sender';
import { WebhookRepository } from './webhook.repository';

const SECRET_BYTES = 32;
/** How long a replaced secret still signs, unless the administrator says otherwise. */
export const OVERLAP_SECONDS = 24 * 3_600;

export interface IssuedWebhook extends SubscriberState {
  /** `whsec_…`, shown once. */
  secret: string;
}

/** Administers where events are pushed to. */
@Injectable()
export class WebhookAdministration implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly subscribers: SubscribersService,
    private readonly webhooks: WebhookRepository,
    private readonly sender: WebhookSender,
    private readonly secrets: Secrets,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly jobs: ScheduledJobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('webhook-secrets', CLEARING_SECONDS, () => this.webhooks.forgetFormerSecrets());
  }

  /** Also enables one that has failed for too long. The secret before this one signs too for 24 hours. */
  async set(code: string, url: string, origin: Origin): Promise<IssuedWebhook> {
    const address = this.parse(url);
    const { subscriber } = await this.subscribers.get(code);
    const secret = newSecret();
    const details = { code, url: withoutQuery(address) };
    await this.dataSource.transaction(async (manager) => {
      await this.webhooks.setWebhook(manager, subscriber.id, address, this.seal(subscriber, secret), OVERLAP_SECONDS);
      await this.audit.record(manager, origin, { type: 'subscriber.webhook-set', details });
    });
    return { ...(await this.subscribers.get(code)), secret: `whsec_${secret}` };
  }

  /** The present secret signs too for `overlapSeconds` more. */
  async rotateSecret(code: string, overlapSeconds: number, origin: Origin): Promise<IssuedWebhook> {
    const { subscriber } = await this.subscribers.get(code);
    const secret = newSecret();
    await this.dataSource.transaction(async (manager) => {
      const sealed = this.seal(subscriber, secret);
      const hasOne = await this.webhooks.rotateSecret(manager, subscriber.id, sealed, overlapSeconds);
      if (!hasOne) throw noWebhook(code);
      const details = { code, overlapSeconds };
      await this.audit.record(manager, origin, { type: 'subscriber.webhook-secret-rotated', details });
    });
    return { ...(await this.subscribers.get(code)), secret: `whsec_${secret}` };
  }

  async remove(code: string, origin: Origin): Promise<SubscriberState> {
    const { subscriber } = await this.subscribers.get(code);
    await this.dataSource.transaction(async (manager) => {
      const hadOne = await this.webhooks.deleteWebhook(manager, subscriber.id);
      if (hadOne) await this.audit.record(manager, origin, { type: 'subscriber.webhook-removed', details: { code } });
    });
    return this.subscribers.get(code);
  }

  /** Sends an event that never happened, about a consumer who does not exist; null if it was taken, else why not. */
  async test(code: string): Promise<string | null> {
    const { subscriber } = await this.subscribers.get(code);
    const webhook = await this.webhooks.find(subscriber.id);
    if (!webhook) throw noWebhook(code);
    const event: LoggedEvent = {
      ...{ position: '0', id: newId(), occurredAt: this.clock.now(), touchpoint: null },
      ...{ type: 'consumer.updated', consumerId: newId(), consumerVersion: '0', data: { changed: [], test: true } },
    };
    try {
      await this.sender.send(webhook, EventDto.from(event, this.config.jwtIssuer));
      return null;
    } catch (error) {
      if (error instanceof WebhookFailure) return error.message;
      throw error;
    }
  }

  private seal({ id }: SubscriberState['subscriber'], secret: string): Sealed {
    return seal(this.secrets, 'webhook-secret', id, secret);
  }

  private parse(text: string): string {
    if (!isSafeHttpAddress(text)) throw new SubscriberError(`--url ${SAFE_HTTP_ADDRESS}`);
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const address = host === 'localhost' ? '127.0.0.1' : host;
    if (isIP(address) !== 0 && !isWithin(this.config.webhookReach, address)) {
      throw new SubscriberError('--url is a private address: WEBHOOK_ALLOW_PRIVATE=true allows them');
    }
    return url.href;
  }
}

const newSecret = (): string => randomSecret(SECRET_BYTES).toString('base64');

/** A query often holds a token, which the trail would keep for years. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

const noWebhook = (code: string): SubscriberError => new SubscriberError(`${code} has no webhook`);
