export type { CallOptions, ConsumerCallOptions, IdempotentCallOptions, UpdateOptions } from './call.js';
export { type ClientOptions, ConsumerServiceClient, type TouchpointCredential } from './client.js';
export { ConsumerClient } from './consumer-client.js';
export { Consumer, type StoredConsumer } from './consumer.js';
export { ApiProblem, type FieldProblem, type ProblemCode, type PublishedCode } from './problem.js';
export type { RetryOptions } from './retrying-fetch.js';
export {
  type ConsumerEvent,
  type EventsOptions,
  type EventType,
  type IntegrationProfile,
  SubscriberClient,
  type SubscriberCredential,
  type SubscriberOptions,
} from './subscriber.js';
export type * from './types.js';
export { verifyWebhook, WebhookError } from './webhook.js';
