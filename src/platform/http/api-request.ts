import type { Request } from 'express';

/** A request as every layer sees it; modules add what they establish (touchpoint, customer). */
export interface ApiRequest extends Request {
  /** The caller's `X-Request-Id`, or a new one. */
  requestId: string;
  /** The consumer whose token the request carries, once it has been accepted. */
  user?: { consumerId: string };
  /** What the guards have decided, to be decided again when the body comes late. */
  judgements?: (() => void | Promise<void>)[];
  /** The connection ends with the answer unless the body is read whole. */
  closesUnlessRead?: boolean;
  /** Set when the client sent `Expect` with anything but `100-continue`. */
  unknownExpectation?: boolean;
}
