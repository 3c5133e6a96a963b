import type { AuthenticationMode, ChannelProof } from '../touchpoint.entity';

/** The settings of a touchpoint as an administrator types them; an absent one was not given; `settings-text.ts` parses them. */
export interface SettingsText {
  name?: string | undefined;
  authMode?: string | undefined;
  channelProof?: string | undefined;
  rateLimit?: string | undefined;
  smsCountries?: string | undefined;
  sessionMax?: string | undefined;
  sessionIdle?: string | undefined;
}

/** How consumers log in, and what they must prove; the first is what a touchpoint has that was not given another. */
export const AUTHENTICATION_MODES = ['PASSWORD', 'OTP'] satisfies `${AuthenticationMode}`[];
export const CHANNEL_PROOFS = ['NONE', 'EMAIL', 'SMS'] satisfies `${ChannelProof}`[];

export const RATE_LIMIT_HELP = 'N/SECONDS, unlimited, or default for the limits of the service';
export const SMS_COUNTRIES_HELP = 'countries such as NO,SE (ISO 3166-1 alpha-2), or default for all';
export const SESSION_MAX_HELP = '30m to 90d, or default: sessions cannot be extended';
export const SESSION_IDLE_HELP = '5m to --session-max, or default for --session-max';

/** Consumers of a touchpoint in this mode cannot log in again yet. */
export const OTP_WARNING =
  'Login by one-time code is reserved (501): consumers of this touchpoint cannot log in again once their session ends';
