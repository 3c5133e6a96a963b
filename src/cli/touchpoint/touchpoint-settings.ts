/** The settings of a touchpoint as typed; `touchpoint-options.ts` parses them. */
export interface SettingsOptions {
  name?: string;
  authMode?: string;
  channelProof?: string;
  rateLimit?: string;
  smsCountries?: string;
  sessionMax?: string;
  sessionIdle?: string;
}

export const RATE_LIMIT_HELP = 'N/SECONDS, unlimited, or default for the limits of the service';
export const SMS_COUNTRIES_HELP = 'countries such as NO,SE (ISO 3166-1 alpha-2), or default for all';
export const SESSION_MAX_HELP = '30m to 90d, or default: sessions cannot be extended';
export const SESSION_IDLE_HELP = '5m to --session-max, or default for --session-max';
