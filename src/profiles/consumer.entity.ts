import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Fields of an address; absent ones are null. */
export interface Address {
  line1: string | null;
  line2: string | null;
  postalCode: string | null;
  city: string | null;
  country: string | null;
  subdivision: string | null;
}

export type Attributes = Record<string, string | number | boolean>;

/** A consumer's profile; identifiers, credential and sessions belong to `auth`. */
@Entity()
@Check('consumer_type_check', `type = 'PERSON'`)
export class Consumer {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  type: 'PERSON';

  @Column({ type: 'text' })
  firstName: string;

  @Column({ type: 'text' })
  lastName: string;

  /** `YYYY-MM-DD`. */
  @Column({ type: 'date', nullable: true })
  birthDate: string | null;

  @Column({ type: 'text', nullable: true })
  locale: string | null;

  @Column({ type: 'jsonb', nullable: true })
  address: Address | null;

  @Column({ type: 'jsonb', nullable: true })
  attributes: Attributes | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz' })
  updatedAt: Date;

  /** Since when the consumer is disabled; null: it is not. */
  @Column({ type: 'timestamptz', nullable: true })
  disabledAt: Date | null;
}
