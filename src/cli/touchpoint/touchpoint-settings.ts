/** What is typed of a touchpoint's settings; `touchpoint-options.ts` reads it. */
export interface SettingsOptions {
  name?: string;
  authMode?: string;
  channelProof?: string;
  rateLimit?: string;
  smsCountries?: string;
}

export const RATE_LIMIT_HELP = 'N/SECONDS, unlimited, or default for the limits of the service';
export const SMS_COUNTRIES_HELP = 'countries such as NO,SE (ISO 3166-1 alpha-2), or default for all';
