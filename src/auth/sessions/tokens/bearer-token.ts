import type { IncomingMessage } from 'node:http';
import { fieldLines } from '../../../platform/http/field-lines';
import { isCompactToken } from './compact-token';

const BEARER = /^Bearer +(\S+) *$/i;

/** The token of exactly one `Authorization: Bearer` header (RFC 6750, section 2.1). */
export function bearerToken(request: IncomingMessage): string | null {
  const [authorization = '', ...others] = fieldLines(request, 'Authorization');
  const token = BEARER.exec(authorization)?.[1] ?? '';
  return others.length === 0 && isCompactToken(token) ? token : null;
}
