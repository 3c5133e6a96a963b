import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service';
import type { Origin } from '../audit/origin';
import { canonicalEmail } from '../platform/values/email-address';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import {
  type Account,
  OperatorRepository,
  type SessionBounds,
  type SessionRow,
  type SignedInOperator,
} from './operator.repository';
import type { Operator } from './operator.entity';
import type { Role } from './role';
import { newSignInToken, tokenDigest } from './sign-in-token';

const MINUTE_MS = 60_000;
const IDLE_MS = 30 * MINUTE_MS;
export const SESSION_MS = 12 * 60 * MINUTE_MS;
export const FRESH_MS = 15 * MINUTE_MS;

/** Why somebody whom the company's provider knows is not signed in. */
export type SignInRefusal = 'no role' | 'no address' | 'address not verified' | 'another account' | 'disabled';

export class SignInRefusedError extends Error {
  constructor(readonly refusal: SignInRefusal) {
    super(`Signing in was refused: ${refusal}`);
  }
}

/** What the company's provider says of somebody who has signed in there. */
export interface ProvenAccount extends Account {
  /** Null: nobody gave this account a role. */
  role: Role | null;
  /** False only if the provider says so. */
  isEmailVerified: boolean;
  /** When they last proved who they are; null: the provider does not say. */
  authenticatedAt: Date | null;
}

/** The origin of an operator's acts. */
export const operatorOrigin = ({ email }: Pick<SignedInOperator, 'email'>, requestId?: string): Origin => ({
  actor: 'operator',
  operator: email,
  ...(requestId !== undefined && { requestId }),
});

/** Opens, checks and ends sessions of the console: 30 minutes without use, 12 hours in all. */
@Injectable()
export class OperatorSessions {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Whose link this is, while it works; this does not spend it. */
  holderOf(linkToken: string): Promise<string | null> {
    return this.operators.findLink(tokenDigest(linkToken), this.clock.now());
  }

  /**
   * Spends a link; answers the cookie of the session, or null if the link does not work. It ends the session that the
   * browser has so far, of its cookie `former`.
   */
  async signIn(linkToken: string, requestId: string, former?: string): Promise<string | null> {
    const { cookie, session } = this.newSession(this.clock.now());
    return this.dataSource.transaction(async (manager) => {
      const operator = await this.operators.openSession(manager, tokenDigest(linkToken), session);
      if (!operator) return null;
      await this.endFormer(manager, former, requestId);
      await this.audit.record(manager, operatorOrigin(operator, requestId), {
        ...{ type: 'operator.signed-in', details: { by: 'link' } },
      });
      return cookie;
    });
  }

  /**
   * Signs in somebody whom the company's provider has authenticated, with the role that it gives; answers the cookie of
   * the session. A refusal is a `SignInRefusedError`, and is in the audit trail.
   */
  async signInByProvider(account: ProvenAccount, requestId: string, former?: string): Promise<string> {
    const { cookie, session } = this.newSession(account.authenticatedAt);
    try {
      await this.dataSource.transaction(async (manager) => {
        const { operator, role } = await this.admit(manager, account);
        const origin = operatorOrigin(operator, requestId);
        await this.endFormer(manager, former, requestId);
        if (operator.role !== role) {
          const details = { email: operator.email, role };
          await this.operators.setRole(manager, operator.email, role);
          await this.audit.record(manager, origin, { type: 'operator.role-changed', details });
        }
        await this.operators.insertSession(manager, operator.id, session);
        await this.audit.record(manager, origin, { type: 'operator.signed-in', details: { by: 'provider' } });
      });
    } catch (error) {
      if (!(error instanceof SignInRefusedError)) throw error;
      // Nobody here has proven the address that it names.
      const { issuer, subject } = account;
      const origin = { actor: 'operator', requestId } as const;
      const details = { by: 'provider', issuer, subject } as const;
      await this.audit.record(this.dataSource.manager, origin, {
        ...{ type: 'operator.signed-in', details, failure: error.refusal },
      });
      throw error;
    }
    return cookie;
  }

  private async admit(manager: EntityManager, account: ProvenAccount): Promise<{ operator: Operator; role: Role }> {
    const { role, isEmailVerified } = account;
    const email = canonicalEmail(account.email);
    if (role === null) throw new SignInRefusedError('no role');
    if (email === null) throw new SignInRefusedError('no address');
    if (!isEmailVerified) throw new SignInRefusedError('address not verified');
    const operator = await this.operatorWith(manager, { ...account, email }, role);
    if (!operator) throw new SignInRefusedError('another account');
    if (operator.disabledAt) throw new SignInRefusedError('disabled');
    return { operator, role };
  }

  /** By the account, whose address may have changed; before the first sign-in by the address. */
  private async operatorWith(manager: EntityManager, account: Account, role: Role): Promise<Operator | null> {
    const known = await this.operators.renameAccount(manager, account);
    if (known) return known;
    const operator = { id: newId(), email: account.email, role, createdAt: this.clock.now() };
    await this.operators.findOrInsert(manager, operator);
    return this.operators.attachAccount(manager, account);
  }

  find(cookie: string): Promise<SignedInOperator | null> {
    return this.operators.useSession(tokenDigest(cookie), this.bounds());
  }

  list({ operatorId }: SignedInOperator): Promise<SessionRow[]> {
    return this.operators.findSessions(operatorId, this.bounds());
  }

  /** Ends one of the operator's own sessions, if it has not ended already. */
  async end(operator: SignedInOperator, sessionId: string, origin: Origin): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      if (!(await this.operators.deleteSession(manager, operator.operatorId, sessionId))) return;
      await this.audit.record(manager, origin, { type: 'operator.signed-out', details: {} });
    });
  }

  /** A cookie that the browser is about to lose must not work elsewhere. */
  private async endFormer(manager: EntityManager, cookie: string | undefined, requestId: string): Promise<void> {
    const email = cookie === undefined ? null : await this.operators.deleteSessionWith(manager, tokenDigest(cookie));
    if (email === null) return;
    await this.audit.record(manager, operatorOrigin({ email }, requestId), {
      ...{ type: 'operator.signed-out', details: {} },
    });
  }

  /** Whether the sign-in is recent enough for an act that cannot be taken back, or hands out data. */
  isFresh({ authenticatedAt }: SignedInOperator): boolean {
    return authenticatedAt !== null && this.clock.epochMs() - authenticatedAt.getTime() < FRESH_MS;
  }

  private newSession(authenticatedAt: Date | null) {
    const cookie = newSignInToken();
    const session = { id: newId(), digest: tokenDigest(cookie), createdAt: this.clock.now(), authenticatedAt };
    return { cookie, session };
  }

  private bounds(): SessionBounds {
    const now = this.clock.now();
    return {
      now,
      idleSince: new Date(now.getTime() - IDLE_MS),
      begunSince: new Date(now.getTime() - SESSION_MS),
    };
  }
}
