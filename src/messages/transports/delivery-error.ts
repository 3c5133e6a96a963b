export interface DeliveryErrorOptions extends ErrorOptions {
  /** The receiver refuses this message for good, not only for now. */
  refused?: boolean;
}

/** A message was not accepted; the reason holds no text of the server, which may repeat an address or the message. */
export class DeliveryError extends Error {
  readonly refused: boolean;

  constructor(
    readonly reason: string,
    { refused = false, ...options }: DeliveryErrorOptions = {},
  ) {
    super(`The message was not taken: ${reason}`, options);
    this.refused = refused;
  }
}
