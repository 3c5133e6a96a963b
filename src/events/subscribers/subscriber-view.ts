import { typesFor } from '../log/event-types';
import type { Webhook } from '../webhooks/webhook.entity';
import type { SubscriberKey } from './subscriber-key.entity';
import type { IssuedSubscriberKey, SubscriberState } from './subscribers.service';

/** A subscriber as an administrator sees it: everything except keys. */
export function subscriberView({ subscriber, end, unseenErasures }: SubscriberState) {
  const { code, enabled, types, touchpoints, readsConsumers, acknowledged, acknowledgedAt } = subscriber;
  return {
    code,
    enabled,
    types: typesFor(types),
    touchpoints: touchpoints.length > 0 ? touchpoints : null,
    readConsumers: readsConsumers,
    /** How far it has processed the log, where that ends, and how many events lie between. */
    acknowledged,
    acknowledgedAt: acknowledgedAt?.toISOString() ?? null,
    end: String(end),
    behind: Number(end - BigInt(acknowledged)),
    /** Erasures that it gets and has not acknowledged yet. */
    unseenErasures,
    webhook: subscriber.webhook && webhookView(subscriber.webhook),
    keys: subscriber.keys.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).map(keyView),
    createdAt: subscriber.createdAt.toISOString(),
    updatedAt: subscriber.updatedAt.toISOString(),
  };
}

/** The same with a new key, which is shown only once. */
export function issuedSubscriberKeyView({ key, ...state }: IssuedSubscriberKey) {
  const { code, ...rest } = subscriberView(state);
  return { code, key, ...rest };
}

const webhookView = ({ url, failures, failingSince, reason, disabledAt, formerUntil }: Webhook) => ({
  url,
  failures,
  failingSince: failingSince?.toISOString() ?? null,
  reason,
  disabledAt: disabledAt?.toISOString() ?? null,
  formerSecretUntil: formerUntil?.toISOString() ?? null,
});

const keyView = ({ hint, createdAt, lastUsedAt, expiresAt }: SubscriberKey) => ({
  hint,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
});
