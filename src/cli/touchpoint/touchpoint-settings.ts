/** The settings of a touchpoint as typed; `touchpoint-options.ts` parses them. */
export interface SettingsOptions {
  name?: string;
  authMode?: string;
  channelProof?: string;
  rateLimit?: string;
  smsCountries?: string;
}

export const RATE_LIMIT_HELP = 'N/SECONDS, unlimited, or default for the limits of the service';
export const SMS_COUNTRIES_HELP = 'countries such as NO,SE (ISO 3166-1 alpha-2), or default for all';
