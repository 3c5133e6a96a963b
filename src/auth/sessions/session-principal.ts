/** The consumer and the session that a customer token stands for. */
export interface SessionPrincipal {
  consumerId: string;
  sessionId: string;
}
