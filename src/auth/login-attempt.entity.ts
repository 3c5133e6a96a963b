import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Failed guesses in one window, for an identifier or for an address. */
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
