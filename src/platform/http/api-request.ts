import type { Request } from 'express';

/**
 * A request as every layer sees it. Modules add what they find out (touchpoint, consumer) in fields that `IncomingRequest`
 * has from the beginning.
 */
export interface ApiRequest extends Request {
  /** The caller's `X-Request-Id`, or a new one. */
  requestId: string;
  /** The consumer whose token the request carries, once it has been accepted. */
  user?: { consumerId: string };
  /** The code of the subscriber whose credential has been accepted. */
  subscriberCode?: string;
  /** What the guards have decided, to be checked again when the body arrives late. */
  judgements?: (() => void | Promise<void>)[];
  /** The connection closes with the answer unless the whole body is read. */
  closesUnlessRead?: boolean;
  /** Set if the client sent `Expect` with anything but `100-continue`. */
  unknownExpectation?: boolean;
}
