import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * For a command that reads much and keeps little: V8 would let garbage grow to a multiple of what is in use before it
 * collects; this lets it grow by half.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
  // The flag takes effect after a collection.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
