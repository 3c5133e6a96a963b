/** Matches what no other route does, so that an unknown path meets the same guards as a known one. */
export const FALLBACK_PATH = '{*path}';
