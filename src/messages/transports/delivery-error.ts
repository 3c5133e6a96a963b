export interface DeliveryErrorOptions extends ErrorOptions {
  /** The receiver does not want this message, and not only now. */
  refused?: boolean;
}

/** A message was not taken; the reason holds neither its address nor its text, which a server's answer may repeat. */
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
