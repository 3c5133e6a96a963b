/** The consumer and the live session of a customer token. */
export interface SessionPrincipal {
  consumerId: string;
  sessionId: string;
  /** When the consumer logged in, in seconds since 1970. */
  signedInAt: number;
}

/**
 * What a valid token names, before anybody has checked that the session is still live: only for a statement that checks
 * it itself.
 */
export interface UncheckedSession {
  principal: SessionPrincipal;
}
