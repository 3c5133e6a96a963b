import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import type { PublicKeySet } from './public-key-set';

/** An issuer of assertions that a touchpoint trusts: an OpenID Connect provider, or its own backend. */
@Entity()
@Check('identity_provider_keys_check', '(jwks_uri IS NULL) <> (jwks IS NULL)')
@Unique('identity_provider_touchpoint_id_issuer_key', ['touchpointId', 'issuer'])
export class IdentityProvider {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'uuid' })
  touchpointId: string;

  @ManyToOne('Touchpoint', 'identityProviders', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'touchpoint_id', foreignKeyConstraintName: 'identity_provider_touchpoint_id_fkey' })
  touchpoint: { id: string };

  /** Compared exactly with the claim `iss`. */
  @Column({ type: 'text' })
  issuer: string;

  /** The issuer's name for us, the claim `aud`. */
  @Column({ type: 'text' })
  audience: string;

  /** Where the issuer publishes its keys; null if they are stored here. */
  @Column({ type: 'text', nullable: true })
  jwksUri: string | null;

  @Column({ type: 'jsonb', nullable: true })
  jwks: PublicKeySet | null;

  /** Whether an e-mail address that the issuer calls verified counts as verified here. */
  @Column({ type: 'boolean' })
  trustsEmail: boolean;

  @Column({ type: 'timestamptz' })
  createdAt: Date;
}
