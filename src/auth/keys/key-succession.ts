/** What the order of the keys in their file and their `signsFrom` say. */
export interface SucceedingKey {
  signsFrom?: string | undefined;
}

/** The index of the key that signs at `now`: the first that may. */
export function signingIndex(keys: SucceedingKey[], now: number): number {
  const index = keys.findIndex(({ signsFrom }) => signsFrom === undefined || Date.parse(signsFrom) <= now);
  // Something must sign: where every key is still to come, the oldest.
  return index === -1 ? keys.length - 1 : index;
}

/**
 * From when on the key at `index` signs no more, in milliseconds since the epoch, or null when that is not known.
 * Any key before it takes its place, so the earliest of them tells; one without a time has done so already.
 */
export function supersededAt(keys: SucceedingKey[], index: number): number | null {
  const times = keys
    .slice(0, index)
    .flatMap(({ signsFrom }) => (signsFrom === undefined ? [] : [Date.parse(signsFrom)]));
  return times.length === 0 ? null : Math.min(...times);
}
