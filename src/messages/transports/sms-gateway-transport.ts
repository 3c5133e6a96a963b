import { createHmac } from 'node:crypto';
import type { SmsGatewaySettings } from '../../platform/settings/config';
import type { Clock } from '../../platform/clock';
import type { RenderedSms } from '../message';
import { DeliveryError } from './delivery-error';
import type { MessageTransport } from './message-transport';

/** In milliseconds. */
const DEADLINE = 10_000;

/** Answers that concern our settings or a temporary state, not the message. */
const NOT_ABOUT_THE_MESSAGE = [401, 403, 404, 408, 429];

/** The body of a request to the operator's gateway. */
const gatewayBody = ({ id, to, text, kind, locale }: RenderedSms): string =>
  JSON.stringify({ id, to, text, kind, locale });

/** Hands text messages to the operator's gateway, as a signed webhook. */
export class SmsGatewayTransport implements MessageTransport<RenderedSms> {
  constructor(
    private readonly settings: SmsGatewaySettings,
    private readonly clock: Clock,
    private readonly deadlineMs = DEADLINE,
  ) {}

  async deliver(message: RenderedSms): Promise<void> {
    const body = gatewayBody(message);
    const headers = { 'Content-Type': 'application/json', ...this.signature(message.id, body) };
    const status = await this.post(body, headers);
    if (status >= 200 && status < 300) return;
    const refused = status >= 400 && status < 500 && !NOT_ABOUT_THE_MESSAGE.includes(status);
    throw new DeliveryError(`HTTP ${status}`, { refused });
  }

  private async post(body: string, headers: Record<string, string>): Promise<number> {
    try {
      const signal = AbortSignal.timeout(this.deadlineMs);
      const response = await fetch(this.settings.url, { method: 'POST', body, headers, redirect: 'manual', signal });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      throw new DeliveryError(`HTTP ${cause?.code ?? name}`, { cause: error });
    }
  }

  /** Standard Webhooks: an id that a repeated message keeps, the time, and an HMAC over both and the body. */
  private signature(id: string, body: string): Record<string, string> {
    const timestamp = Math.floor(this.clock.epochMs() / 1000);
    const digest = createHmac('sha256', this.settings.secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${digest}` };
  }
}
