import type { IncomingMessage } from 'node:http';

/**
 * The values that a client sent under a name, one for each line: of some fields Node keeps only the first, others it joins
 * (RFC 9110, section 5.3). Its `headersDistinct` would add a field to the request (see `IncomingRequest`).
 */
export function fieldLines({ rawHeaders }: IncomingMessage, name: string): string[] {
  const wanted = name.toLowerCase();
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted);
}
