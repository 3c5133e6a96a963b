import type { IncomingMessage } from 'node:http';

/**
 * Whether a form was sent by one of the console's own pages. A browser says so in `Sec-Fetch-Site` (Fetch Metadata); one
 * that does not know that header sends `Origin` with every POST.
 */
export function isFromOwnPage({ headers }: IncomingMessage, ownOrigins: string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin !== undefined && ownOrigins.includes(headers.origin);
}

/** Whether the request names the console as its host, which another site's name that resolves to us does not. */
export const isForOwnHost = ({ headers }: IncomingMessage, ownOrigins: string[]): boolean =>
  ownOrigins.some((origin) => new URL(origin).host === headers.host?.toLowerCase());
