/** No route has this path, so that the fallback answers it, behind the guards. */
const UNROUTABLE_PATH = '/-';

/** What a client of a proxy sends (RFC 9112, section 3.2.2); of other schemes Express would read no path at all. */
const ABSOLUTE_FORM = /^https?:\/\/[^/?]/i;

/** The target as Express may see it: what it would answer itself, before any guard, or take for another path becomes one that no route has. */
export function routableTarget(target: string): string {
  return isRoutable(target) ? target : UNROUTABLE_PATH;
}

function isRoutable(target: string): boolean {
  // Where there is a fragment, which no target has (RFC 9112, section 3.2), Express drops it and reads `\` as `/`.
  if (/[#\\]/.test(target)) return false;
  if (!target.startsWith('/') && !(ABSOLUTE_FORM.test(target) && URL.canParse(target))) return false;
  try {
    decodeURIComponent(target.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
