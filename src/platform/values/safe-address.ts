/** How a URL writes the names and addresses of this machine. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Whether messages to it stay on this machine. */
export const isOnLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** What to say about an address that `isSafeHttpAddress` refuses. */
export const SAFE_HTTP_ADDRESS = 'must be an https:// address without credentials, or http:// on loopback';

/** Whether requests to this address are encrypted or stay on this machine; `fetch` accepts no credentials in it. */
export function isSafeHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnLoopback(url));
}
