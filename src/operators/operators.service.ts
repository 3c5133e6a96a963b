import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service';
import type { Origin } from '../audit/origin';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import { canonicalEmail } from '../platform/values/email-address';
import type { Operator } from './operator.entity';
import { OperatorRepository, type OperatorRow, type SignedInOperator } from './operator.repository';
import { newSignInToken, tokenDigest } from './sign-in-token';
import { mayGrant, type Role } from './role';

const LINK_MINUTES = 10;

/** The operator that the first start invites, without an e-mail address. */
export const FIRST_OPERATOR = 'admin';

/** A refusal that the administrator reads as one line. */
export class OperatorError extends Error {}

export interface Invitation {
  operator: Operator;
  /** The secret part of the link; only its digest is kept. */
  token: string;
  expiresAt: Date;
}

/** Administers who may use the console. `by` is the operator who asks; a command may do everything. */
@Injectable()
export class OperatorsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  list(): Promise<OperatorRow[]> {
    return this.operators.findOperators();
  }

  /** Makes a one-time link, for a new operator or one who is known with this role. */
  async invite(address: string, role: Role, origin: Origin, by?: SignedInOperator): Promise<Invitation> {
    const email = parseEmail(address);
    requireRight(by, email, role);
    const token = newSignInToken();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + LINK_MINUTES * 60_000);
    const operator = await this.dataSource.transaction(async (manager) => {
      const found = await this.operators.findOrInsert(manager, { id: newId(), email, role, createdAt: now });
      if (found.disabledAt) throw new OperatorError(`${email} is disabled: enable the operator first`);
      if (found.role !== role) throw new OperatorError(`${email} has the role ${found.role}: change the role first`);
      await this.operators.insertLink(manager, tokenDigest(token), found.id, expiresAt);
      await this.audit.record(manager, origin, { type: 'operator.invited', details: { email, role } });
      return found;
    });
    return { operator, token, expiresAt };
  }

  /** From the next request on. */
  setRole(address: string, role: Role, origin: Origin, by?: SignedInOperator): Promise<Operator> {
    return this.change(address, by, role, async (manager, email) => {
      const operator = await this.operators.setRole(manager, email, role);
      await this.audit.record(manager, origin, { type: 'operator.role-changed', details: { email, role } });
      return operator;
    });
  }

  /** Ends every session and link of the operator. */
  disable(address: string, origin: Origin, by?: SignedInOperator): Promise<Operator> {
    return this.change(address, by, undefined, async (manager, email) => {
      const operator = await this.operators.setDisabled(manager, email, this.clock.now());
      if (operator) await this.operators.deleteSessionsOf(manager, operator.id);
      await this.audit.record(manager, origin, { type: 'operator.disabled', details: { email } });
      return operator;
    });
  }

  /** With a new sign-in: a link may have opened a session at the moment of the disabling. */
  enable(address: string, origin: Origin, by?: SignedInOperator): Promise<Operator> {
    return this.change(address, by, undefined, async (manager, email) => {
      const operator = await this.operators.setDisabled(manager, email, null);
      if (operator) await this.operators.deleteSessionsOf(manager, operator.id);
      await this.audit.record(manager, origin, { type: 'operator.enabled', details: { email } });
      return operator;
    });
  }

  private async change(
    address: string,
    by: SignedInOperator | undefined,
    role: Role | undefined,
    task: (manager: EntityManager, email: string) => Promise<Operator | null>,
  ): Promise<Operator> {
    const email = parseEmail(address);
    const present = await this.operators.findByEmail(email);
    if (present) requireRight(by, email, present.role);
    requireRight(by, email, role ?? present?.role);
    return this.dataSource.transaction(async (manager) => {
      const operator = await task(manager, email);
      // Thrown in a transaction, so that it is rolled back.
      if (!operator) throw new OperatorError(`There is no operator ${email}`);
      return operator;
    });
  }
}

/** No operator changes their own access, or grants or takes a role above their own. */
function requireRight(by: SignedInOperator | undefined, email: string, role: Role | undefined): void {
  if (!by) return;
  if (by.email === email) throw new OperatorError('You cannot change your own access: ask another administrator');
  if (role !== undefined && !mayGrant(by.role, role)) throw new OperatorError(`You cannot grant the role ${role}`);
}

function parseEmail(address: string): string {
  if (address.trim() === FIRST_OPERATOR) return FIRST_OPERATOR;
  const email = canonicalEmail(address.trim());
  if (email === null) throw new OperatorError(`${address.trim()} is not an e-mail address`);
  return email;
}
