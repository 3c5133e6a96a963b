import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Registration } from './consumer-creation.service';

/** The data of a registration until its channel is proven; deleted with its challenge. */
@Entity()
export class PendingRegistration {
  @PrimaryColumn({ type: 'uuid' })
  @ForeignKey('Challenge', { name: 'pending_registration_challenge_id_fkey', onDelete: 'CASCADE' })
  challengeId: string;

  @Column({ type: 'jsonb' })
  registration: Registration;

  /** Of the password that came with the first step; null when none did. */
  @Column({ type: 'text', nullable: true })
  passwordHash: string | null;
}
