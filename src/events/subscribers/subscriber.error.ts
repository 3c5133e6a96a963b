/** A refusal that the administrator reads as one line. */
export class SubscriberError extends Error {}
