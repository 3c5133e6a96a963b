/** Whose messages: those that concern the consumer, wherever they went, and those to the consumer's addresses. */
export interface Addressee {
  consumerId: string;
  /** Canonical. */
  addresses: string[];
}
