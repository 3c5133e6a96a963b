/** The consumer and the session that a customer token stands for; the session is live. */
export interface SessionPrincipal {
  consumerId: string;
  sessionId: string;
}

/**
 * What a valid token names, before anybody has checked that the session is still live: only for a statement that checks
 * it itself.
 */
export interface UncheckedSession {
  principal: SessionPrincipal;
}
