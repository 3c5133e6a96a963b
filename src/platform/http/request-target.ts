/** No route has this path, so that the fallback answers it, behind the guards. */
const UNROUTABLE_PATH = '/-';

/** The target as Express may see it: what it would answer itself, before any guard, or take for another path becomes one that no route has. */
export function routableTarget(target: string): string {
  return isRoutable(target) ? target : UNROUTABLE_PATH;
}

function isRoutable(target: string): boolean {
  // Where there is a fragment, which no target has (RFC 9112, section 3.2), Express drops it and reads `\` as `/`.
  if (
    /[#\\]/.test(target) ||
    !/^(\/|https?:\/\/[^/?])/i.test(target) ||
    (!target.startsWith('/') && !URL.canParse(target))
  )
    return false;
  try {
    decodeURIComponent(target.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
