import { userInfo } from 'node:os';

/**
 * Who acts: a touchpoint's backend, a consumer through it, an administrator's command, an operator in the console, another
 * system of the business, or the service by itself.
 */
export type Actor = 'touchpoint' | 'consumer' | 'cli' | 'operator' | 'subscriber' | 'service';

/** Who asked for an act, and by which request: the audit trail keeps it with every event. */
export interface Origin {
  actor: Actor;
  /** Who ran the command, by the name that the operating system knows, or the operator's e-mail address. */
  operator?: string;
  /** The touchpoint's code. */
  touchpoint?: string;
  requestId?: string;
}

/** The origin of the service's own acts. */
export const SERVICE_ORIGIN: Origin = { actor: 'service' };

/** The origin of an administrator's command. */
export const commandOrigin = (): Origin => ({ actor: 'cli', operator: operatorName() });

/** A container may run under a user id that has no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
