import { Option } from 'nest-commander';
import type { AuthenticationMode, ChannelProof } from '../touchpoints/touchpoint.entity';
import type { TouchpointSettings } from '../touchpoints/touchpoints.service';
import { JsonCommand } from './json-command';
import {
  parseAuthenticationMode,
  parseChannelProof,
  parseRateLimit,
  parseSmsCountries,
  RATE_LIMIT_HELP,
  SMS_COUNTRIES_HELP,
} from './touchpoint-options';

export interface SettingsOptions {
  json?: boolean;
  name?: string;
  authMode?: AuthenticationMode;
  channelProof?: ChannelProof;
  rateLimit?: TouchpointSettings['rateLimit'];
  smsCountries?: string[];
}

/** The options that `create` and `update` share. */
export abstract class TouchpointSettingsCommand extends JsonCommand {
  @Option({ flags: '--name <name>', description: 'what people call it' })
  parseName(value: string): string {
    return value;
  }

  @Option({ flags: '--auth-mode <mode>', description: 'PASSWORD or OTP' })
  parseAuthMode(value: string): AuthenticationMode {
    return parseAuthenticationMode(value);
  }

  @Option({ flags: '--channel-proof <channel>', description: 'NONE, EMAIL or SMS' })
  parseChannelProof(value: string): ChannelProof {
    return parseChannelProof(value);
  }

  @Option({ flags: '--rate-limit <limit>', description: RATE_LIMIT_HELP })
  parseRateLimit(value: string): TouchpointSettings['rateLimit'] {
    return parseRateLimit(value);
  }

  @Option({ flags: '--sms-countries <countries>', description: SMS_COUNTRIES_HELP })
  parseSmsCountries(value: string): string[] {
    return parseSmsCountries(value);
  }
}
