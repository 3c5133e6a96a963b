import { isLockTimeout } from './database-errors';

/**
 * Keeps statements that wait for a locked table from holding every connection: of a statement that has waited in vain
 * while most connections waited, only one at a time tries again, until it succeeds.
 */
export class LockedStatements {
  /** Whether one tries at present, by the statement's text. */
  private readonly trials = new Map<string, boolean>();

  /** Whether the statement may run; whoever runs it must call `ended`. `isHeldUp`: most connections wait. */
  admits(text: string, isHeldUp: boolean): boolean {
    const isTried = this.trials.get(text);
    if (isTried === undefined) return true;
    if (isTried || isHeldUp) return false;
    this.trials.set(text, true);
    return true;
  }

  ended(text: string, error: unknown, isHeldUp: boolean): void {
    if (error === undefined) this.trials.delete(text);
    else if (this.trials.has(text) || (isHeldUp && isLockTimeout(error))) this.trials.set(text, false);
  }
}
