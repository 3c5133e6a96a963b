import { Check, Column, Entity, OneToMany, PrimaryColumn, Unique } from 'typeorm';
import { IdentityProvider } from './identity-providers/identity-provider.entity';
import { TouchpointKey } from './touchpoint-key.entity';

/** How consumers log in at a touchpoint (specification, section 5.3). */
export enum AuthenticationMode {
  Password = 'PASSWORD',
  OneTimeCode = 'OTP',
}

/** Which channel a consumer must prove before being registered. */
export enum ChannelProof {
  None = 'NONE',
  Email = 'EMAIL',
  Sms = 'SMS',
}

/** A client application, known by its code and trusted by its key (specification, section 2.1). */
@Entity()
@Check('touchpoint_authentication_mode_check', `authentication_mode IN ('PASSWORD', 'OTP')`)
@Check('touchpoint_channel_proof_check', `channel_proof IN ('NONE', 'EMAIL', 'SMS')`)
@Check(
  'touchpoint_rate_limit_check',
  '(rate_limit IS NULL) = (rate_limit_seconds IS NULL) AND rate_limit >= 0 AND rate_limit_seconds > 0',
)
@Check('touchpoint_session_max_check', 'session_max_seconds BETWEEN 1800 AND 7776000')
@Check(
  'touchpoint_session_idle_check',
  `session_idle_seconds IS NULL
    OR session_idle_seconds >= 300 AND session_max_seconds IS NOT NULL AND session_idle_seconds <= session_max_seconds`,
)
@Unique('touchpoint_code_key', ['code'])
export class Touchpoint {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  code: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  authenticationMode: AuthenticationMode;

  @Column({ type: 'text' })
  channelProof: ChannelProof;

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** Requests in `rateLimitSeconds`, 0 for unlimited; null: the service's own limits. */
  @Column({ type: 'integer', nullable: true })
  rateLimit: number | null;

  @Column({ type: 'integer', nullable: true })
  rateLimitSeconds: number | null;

  /** The countries whose phone numbers it accepts and sends SMS to (ISO 3166-1 alpha-2); empty: all. */
  @Column({ type: 'text', array: true, default: [] })
  smsCountries: string[];

  /**
   * How long a session can last from the login on; null: the lifetime of its first token, because it cannot be
   * extended.
   */
  @Column({ type: 'integer', nullable: true })
  sessionMaxSeconds: number | null;

  /** How long a session may stay unused; null: as long as it can last. */
  @Column({ type: 'integer', nullable: true })
  sessionIdleSeconds: number | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz' })
  updatedAt: Date;

  @OneToMany(() => TouchpointKey, (key) => key.touchpoint)
  keys: TouchpointKey[];

  @OneToMany(() => IdentityProvider, (provider) => provider.touchpoint)
  identityProviders: IdentityProvider[];
}
