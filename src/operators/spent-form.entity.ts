import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A form of the console that has been sent. */
@Entity()
export class SpentForm {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Index('spent_form_spent_at_idx')
  @Column({ type: 'timestamptz' })
  spentAt: Date;
}
