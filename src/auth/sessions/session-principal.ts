/** The consumer and the session that a customer token stands for; the session is live. */
export interface SessionPrincipal {
  consumerId: string;
  sessionId: string;
}

/**
 * Who a token of ours stands for, before anybody has asked whether the session is still live: of use only to a statement
 * that asks that itself.
 */
export interface UnprovenSession {
  claimed: SessionPrincipal;
}
