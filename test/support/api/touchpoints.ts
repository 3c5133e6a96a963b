import { until } from '../until';
import type { ApiClient } from './api-client';

export const CODE = 'X-Touchpoint-Code';
export const KEY = 'X-Touchpoint-Key';

export const codeOf = (client: ApiClient): string => client.headers[CODE] ?? '';
export const keyOf = (client: ApiClient): string => client.headers[KEY] ?? '';

/** What a touchpoint is told that asks for something of no consumer's. */
export const statusFor = async (client: ApiClient): Promise<number> =>
  (await client.get('/api/v1/reference/countries')).status;

/** Waits until a change of the touchpoint is known to the service. */
export const untilStatus = (client: ApiClient, status: number) =>
  until(async () => (await statusFor(client)) === status);

/** What the commands show of a touchpoint. */
export interface TouchpointView {
  code: string;
  enabled: boolean;
  updatedAt: string;
  keys: { hint: string; lastUsedAt: string | null; expiresAt: string | null }[];
}
