import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConsumerEvent } from './subscriber.js';

/** How far the clocks may differ, and how late a webhook may come, in seconds (Standard Webhooks). */
const TOLERANCE = 300;
const PREFIX = 'whsec_';
/** The least that Standard Webhooks allows. */
const KEY_BYTES = 24;

/** The webhook is not from the service, or not from now. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * The event of a webhook, whose signature is checked (Standard Webhooks: HMAC-SHA256 over id, time and body). `body` is the
 * text as it came, before any parsing. `secret` is `whsec_…`, or several while one is replaced. The same event may come
 * more than once: its `id` is the same. A secret that is none is a `TypeError`, whatever came.
 */
export function verifyWebhook(
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array,
  secret: string | string[],
  { now = Date.now() }: { now?: number } = {},
): ConsumerEvent {
  const keys = [secret].flat().map(keyOf);
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing`);
    return value;
  };
  const [id, time] = [header('webhook-id'), header('webhook-timestamp')];
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE) {
    throw new WebhookError('The webhook is not from now');
  }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const sent = header('webhook-signature')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'));
  const isGenuine = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${time}.${text}`).digest();
    return sent.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
  });
  if (!isGenuine) throw new WebhookError('The signature of the webhook is wrong');
  return JSON.parse(text) as ConsumerEvent;
}

/** An empty setting would make a key that everybody knows. */
function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length < KEY_BYTES) throw new TypeError('The secret of the webhook is missing or incomplete');
  return key;
}
