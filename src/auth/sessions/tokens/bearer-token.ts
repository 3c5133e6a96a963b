import type { ApiRequest } from '../../../platform/http/api-request';
import { isCompactToken } from './compact-token';

const BEARER = /^Bearer +(\S+) *$/i;

/** The token of exactly one `Authorization: Bearer` header (RFC 6750, section 2.1). */
export function bearerToken({ headersDistinct }: ApiRequest): string | null {
  const [authorization, ...others] = headersDistinct.authorization ?? [];
  const token = BEARER.exec(authorization ?? '')?.[1] ?? '';
  return others.length === 0 && isCompactToken(token) ? token : null;
}
