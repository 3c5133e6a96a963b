import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Failed guesses in one window: at an identifier, at an identifier from a known address, or from an address at a
 * touchpoint.
 */
@Entity()
export class LoginAttempt {
  /** Keyed digest of what is guessed at. */
  @PrimaryColumn({ type: 'bytea' })
  key: Buffer;

  @Column({ type: 'integer' })
  failures: number;

  @Index('login_attempt_window_ends_at_idx')
  @Column({ type: 'timestamptz' })
  windowEndsAt: Date;
}
