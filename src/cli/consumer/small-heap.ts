import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * For a command that goes through much and keeps little: V8 would let garbage grow to a multiple of what is in use
 * before it looks; from here on half as much again is enough.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
  // V8 reckons at the end of a collection, so that the flag needs one.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
