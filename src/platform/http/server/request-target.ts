/** No route has this path, so that the fallback answers it, behind the guards. */
const UNROUTABLE_PATH = '/-';

/** The form that a client sends to a proxy (RFC 9112, section 3.2.2); Express reads no path of other schemes. */
const ABSOLUTE_FORM = /^https?:\/\/[^/?]/i;

/**
 * The target as Express may see it. A target that Express would answer before the guards, or read as another path,
 * becomes one that no route has.
 */
export function routableTarget(target: string): string {
  return isRoutable(target) ? target : UNROUTABLE_PATH;
}

function isRoutable(target: string): boolean {
  // With a fragment, which a target must not have (RFC 9112, section 3.2), Express drops it and reads `\` as `/`.
  if (/[#\\]/.test(target)) return false;
  if (!target.startsWith('/') && !(ABSOLUTE_FORM.test(target) && URL.canParse(target))) return false;
  try {
    decodeURIComponent(target.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
