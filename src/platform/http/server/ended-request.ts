/** A request that has ended. */
export interface EndedRequest {
  method: string;
  /** The pattern that its path matched; never the path itself. */
  route: unknown;
  /** The code of the touchpoint, if its credential was accepted. */
  touchpoint: string | undefined;
  status: number;
  /** The problem's code, of a refusal. */
  code: string | undefined;
  /** The client went away before it had the answer. */
  aborted: boolean;
  durationMs: number;
}
