import type { ApiRequest } from '../platform/http/api-request';

const BEARER = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *$/i;

/** The token of exactly one `Authorization: Bearer` header (RFC 6750, section 2.1). */
export function bearerToken({ headersDistinct }: ApiRequest): string | null {
  const [authorization, ...others] = headersDistinct.authorization ?? [];
  return others.length === 0 ? (BEARER.exec(authorization ?? '')?.[1] ?? null) : null;
}
