import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service';
import type { Origin } from '../audit/origin';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import { OperatorRepository, type SessionBounds, type SessionRow, type SignedInOperator } from './operator.repository';
import { newSignInToken, tokenDigest } from './sign-in-token';

const MINUTE_MS = 60_000;
const IDLE_MS = 30 * MINUTE_MS;
export const SESSION_MS = 12 * 60 * MINUTE_MS;
const FRESH_MS = 15 * MINUTE_MS;

/** The origin of what an operator does. */
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

  /** Whose link this is, while it works; looking spends nothing. */
  holderOf(linkToken: string): Promise<string | null> {
    return this.operators.findLink(tokenDigest(linkToken), this.clock.now());
  }

  /** Spends a link; answers the cookie of the session, or null if the link does not work. */
  async signIn(linkToken: string, requestId: string): Promise<string | null> {
    const cookie = newSignInToken();
    const session = { id: newId(), digest: tokenDigest(cookie), createdAt: this.clock.now() };
    return this.dataSource.transaction(async (manager) => {
      const operator = await this.operators.openSession(manager, tokenDigest(linkToken), session);
      if (!operator) return null;
      await this.audit.record(manager, operatorOrigin(operator, requestId), {
        ...{ type: 'operator.signed-in', details: { by: 'link' } },
      });
      return cookie;
    });
  }

  find(cookie: string): Promise<SignedInOperator | null> {
    return this.operators.useSession(tokenDigest(cookie), this.bounds());
  }

  list({ operatorId }: SignedInOperator): Promise<SessionRow[]> {
    return this.operators.findSessions(operatorId, this.bounds());
  }

  /** Ends one of the operator's own sessions. */
  async end(operator: SignedInOperator, sessionId: string, origin: Origin): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await this.operators.deleteSession(manager, operator.operatorId, sessionId);
      await this.audit.record(manager, origin, { type: 'operator.signed-out', details: {} });
    });
  }

  /** Whether the sign-in is recent enough for an act that destroys. */
  isFresh({ signedInAt }: SignedInOperator): boolean {
    return this.clock.epochMs() - signedInAt.getTime() < FRESH_MS;
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
