import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { Role } from './role';

/** Somebody who may sign in to the console. */
@Entity()
@Check('operator_role_check', `role IN ('AUDITOR', 'SUPPORT', 'OPERATOR', 'ADMIN')`)
@Check('operator_account_check', '(issuer IS NULL) = (subject IS NULL)')
@Unique('operator_email_key', ['email'])
@Unique('operator_account_key', ['issuer', 'subject'])
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

  /** With `subject`, the account at the company's provider; null: only by link so far. */
  @Column({ type: 'text', nullable: true })
  issuer: string | null;

  @Column({ type: 'text', nullable: true })
  subject: string | null;
}
