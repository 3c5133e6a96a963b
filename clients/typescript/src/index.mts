// For `import`: the same code as for `require`, so that both see the same classes in one process.
export {
  ApiProblem,
  Consumer,
  ConsumerClient,
  ConsumerServiceClient,
  SubscriberClient,
  verifyWebhook,
  WebhookError,
} from './index.js';
export type * from './index.js';
