import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { unseal } from '../../platform/secrets/sealing';
import { Secrets } from '../../platform/secrets/secrets';
import type { EventDto } from '../feed/event.dto';
import { isWithin, lookupWithin, PrivateAddressError } from './public-address';
import type { WebhookTarget } from './webhook.repository';

/** In milliseconds, from the first byte sent to the status. */
const DEADLINE = 15_000;

/** Why an event was not taken, in words for an administrator. */
export class WebhookFailure extends Error {}

function reasonOf(error: Error & { code?: string }): string {
  if (error instanceof PrivateAddressError) return error.message;
  if (error.name === 'AbortError') return `no answer in ${DEADLINE / 1000} s`;
  return error.code ?? error.message;
}

/** Pushes one event, signed as in Standard Webhooks. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly secrets: Secrets,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Rejects with a `WebhookFailure` unless the answer is 2xx; follows no redirect. */
  async send(webhook: WebhookTarget, event: EventDto): Promise<void> {
    const body = JSON.stringify(event);
    const headers = { 'Content-Type': 'application/cloudevents+json', ...this.signature(webhook, event.id, body) };
    const status = await this.post(new URL(webhook.url), body, headers);
    if (status < 200 || status >= 300) throw new WebhookFailure(`HTTP ${status}`);
  }

  private post(url: URL, body: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error & { code?: string }) => {
        reject(new WebhookFailure(reasonOf(error), { cause: error }));
      };
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const { webhookReach } = this.config;
      if (isIP(host) !== 0 && !isWithin(webhookReach, host)) {
        fail(new PrivateAddressError(`${host} is a private address`));
        return;
      }
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        signal: AbortSignal.timeout(DEADLINE),
        // No connection is kept, so that the address of each is checked.
        agent: false,
        lookup: lookupWithin(webhookReach),
      });
      request.on('error', fail);
      // For a receiver that changes the protocol or closes the connection; after an answer this has no effect.
      request.on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        resolve(statusCode ?? 0);
      });
      request.on('close', () => {
        fail(new Error('the connection was closed'));
      });
      request.on('response', (response) => {
        response.destroy();
        resolve(response.statusCode ?? 0);
      });
      request.end(body);
    });
  }

  /** One signature for each secret that is valid now. */
  private signature(
    { subscriberId, secret, formerSecret }: WebhookTarget,
    id: string,
    body: string,
  ): Record<string, string> {
    const timestamp = Math.floor(this.clock.epochMs() / 1000);
    const keys = [secret, ...(formerSecret ? [formerSecret] : [])].map((sealed) =>
      unseal(this.secrets, 'webhook-secret', subscriberId, sealed),
    );
    if (keys[0] === null)
      throw new WebhookFailure('the secret cannot be read: APP_SECRET has changed; set the webhook again');
    const signatures = keys
      .filter((key) => key !== null)
      .map((key) =>
        createHmac('sha256', Buffer.from(key, 'base64')).update(`${id}.${timestamp}.${body}`).digest('base64'),
      );
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
    };
  }
}
