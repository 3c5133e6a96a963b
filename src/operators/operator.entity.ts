import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { Role } from './role';

/** Somebody who may sign in to the console. */
@Entity()
@Check('operator_role_check', `role IN ('AUDITOR', 'SUPPORT', 'OPERATOR', 'ADMIN')`)
@Unique('operator_email_key', ['email'])
export class Operator {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Canonical. */
  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  role: Role;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** Null: may sign in. */
  @Column({ type: 'timestamptz', nullable: true })
  disabledAt: Date | null;
}
