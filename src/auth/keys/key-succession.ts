/** Which key signs when, by the order of the keys in their file and their `signsFrom`. */
export interface SucceedingKey {
  signsFrom?: string | undefined;
}

/** The index of the key that signs at `now`: the first that may. */
export function signingIndex(keys: SucceedingKey[], now: number): number {
  const index = keys.findIndex(({ signsFrom }) => signsFrom === undefined || Date.parse(signsFrom) <= now);
  // One key must sign: if none may yet, the oldest.
  return index === -1 ? keys.length - 1 : index;
}

/**
 * When the key at `index` stops signing, in milliseconds since the epoch, or null if that is not known. Any key before
 * it replaces it, so the earliest of them decides; one without a time has replaced it already.
 */
export function supersededAt(keys: SucceedingKey[], index: number): number | null {
  const times = keys
    .slice(0, index)
    .flatMap(({ signsFrom }) => (signsFrom === undefined ? [] : [Date.parse(signsFrom)]));
  return times.length === 0 ? null : Math.min(...times);
}
