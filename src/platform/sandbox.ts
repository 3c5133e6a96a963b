/** What a deployment for partner developers does differently. */
export interface Sandbox {
  /** Headers of every answer. */
  readonly headers: Record<string, string>;
  /** Whether nobody has this e-mail address or phone number: nothing is sent to it, and it has no cool-down. */
  isTestAddress(address: string): boolean;
  /** The code that this address always gets; null: a random one. */
  codeFor(address: string, digits: number): string | null;
  /** What a limit is counted at: no touchpoint shares one with another, since each judges it by a clock of its own. */
  limitKey(key: string): string;
  /** Handles a request by a clock of its own. */
  handle(next: () => void): void;
}

/** For injection: a `Sandbox`, or null. */
export const SANDBOX = Symbol('sandbox');
