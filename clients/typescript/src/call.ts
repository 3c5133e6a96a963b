/** What a single call may carry. */
export interface CallOptions {
  /** Ends the call, and its attempts. */
  signal?: AbortSignal;
  /** Appears in the service's log and audit trail: 1 to 128 of `A-Za-z0-9._-`. */
  requestId?: string;
}

export interface ConsumerCallOptions extends CallOptions {
  /** The consumer's own IP address, which the service cannot see: guesses at passwords are limited by it. */
  consumerIp?: string | undefined;
}

export interface IdempotentCallOptions extends ConsumerCallOptions {
  /** Made for every call when absent; give your own to repeat a call after a restart of your process. */
  idempotencyKey?: string | undefined;
}

export interface UpdateOptions extends CallOptions {
  /** The profile is changed only if this is still its entity tag; else `PRECONDITION_FAILED`. */
  ifMatch?: string | undefined;
}

/** The headers and the signal of a call. */
export function call(options: ConsumerCallOptions = {}, more: Record<string, string> = {}) {
  const { signal, requestId, consumerIp } = options;
  const headers = {
    ...more,
    ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    ...(consumerIp !== undefined && { 'X-Consumer-IP': consumerIp }),
  };
  return { headers, ...(signal && { signal }) };
}
