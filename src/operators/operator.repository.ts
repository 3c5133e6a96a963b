import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { change, run } from '../platform/database/statement';
import { Operator } from './operator.entity';
import type { OperatorSession } from './operator-session.entity';
import type { Role } from './role';

export interface OperatorRow extends Operator {
  /** When the newest session that is kept began; null: none. */
  signedInAt: Date | null;
}

/** An operator who is signed in. */
export interface SignedInOperator {
  operatorId: string;
  email: string;
  role: Role;
  sessionId: string;
  /** When they proved who they are; null: unknown. */
  authenticatedAt: Date | null;
}

export interface SessionRow {
  sessionId: string;
  createdAt: Date;
  lastUsedAt: Date;
}

/** How long sessions live, as points in time. */
export interface SessionBounds {
  now: Date;
  /** A session that was used no later than this has been idle for too long. */
  idleSince: Date;
  /** A session that began no later than this has ended. */
  begunSince: Date;
}

/** An operator to be made, by a sign-in or an invitation. */
export type NewOperator = Pick<Operator, 'id' | 'email' | 'role' | 'createdAt'>;

/** An account at the company's provider. */
export type Account = Record<'issuer' | 'subject' | 'email', string>;

type NewSession = Omit<OperatorSession, 'operatorId' | 'lastUsedAt'>;

const COLUMNS = sql`o.id, o.email, o.role, o.created_at AS "createdAt", o.disabled_at AS "disabledAt", o.issuer, o.subject`;

/** Whether the session `s` lives. */
const isLive = ({ idleSince, begunSince }: SessionBounds): Sql =>
  sql`s.last_used_at > ${idleSince} AND s.created_at > ${begunSince}`;

/** Every statement on `operator`, `sign_in_link`, `operator_session` and `spent_form`. */
@Injectable()
export class OperatorRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  findOperators(): Promise<OperatorRow[]> {
    return run<OperatorRow>(
      this.dataSource,
      sql`SELECT ${COLUMNS}, (SELECT max(s.created_at) FROM operator_session s WHERE s.operator_id = o.id) AS "signedInAt"
        FROM operator o ORDER BY o.email`,
    );
  }

  /** The operator with this address, who is made unless there is one. */
  async findOrInsert(manager: EntityManager, { id, email, role, createdAt }: NewOperator): Promise<Operator> {
    await run(
      manager,
      sql`INSERT INTO operator (id, email, role, created_at) VALUES (${id}, ${email}, ${role}, ${createdAt})
        ON CONFLICT (email) DO NOTHING`,
    );
    const [operator] = await run<Operator>(manager, sql`SELECT ${COLUMNS} FROM operator o WHERE o.email = ${email}`);
    if (!operator) throw new Error('The operator was deleted meanwhile');
    return operator;
  }

  /** Null if there is no such operator. */
  async setRole(manager: EntityManager, email: string, role: Role): Promise<Operator | null> {
    const { rows } = await change<Operator>(
      manager,
      sql`UPDATE operator o SET role = ${role} WHERE o.email = ${email} RETURNING ${COLUMNS}`,
    );
    return rows[0] ?? null;
  }

  /** Null if there is no such operator; an operator who is already disabled keeps the time. */
  async setDisabled(manager: EntityManager, email: string, disabledAt: Date | null): Promise<Operator | null> {
    const { rows } = await change<Operator>(
      manager,
      sql`UPDATE operator o SET disabled_at = CASE WHEN ${disabledAt}::timestamptz IS NULL THEN NULL
          ELSE COALESCE(o.disabled_at, ${disabledAt}::timestamptz) END
        WHERE o.email = ${email} RETURNING ${COLUMNS}`,
    );
    return rows[0] ?? null;
  }

  async findByEmail(email: string): Promise<Operator | null> {
    const [operator] = await run<Operator>(
      this.dataSource,
      sql`SELECT ${COLUMNS} FROM operator o WHERE o.email = ${email}`,
    );
    return operator ?? null;
  }

  async insertLink(manager: EntityManager, digest: Buffer, operatorId: string, expiresAt: Date): Promise<void> {
    await run(manager, sql`INSERT INTO sign_in_link VALUES (${digest}, ${operatorId}, ${expiresAt})`);
  }

  /** Who can sign in by a link, while it works. */
  async findLink(digest: Buffer, now: Date): Promise<string | null> {
    const [found] = await run<{ email: string }>(
      this.dataSource,
      sql`SELECT o.email FROM sign_in_link l JOIN operator o ON o.id = l.operator_id
        WHERE l.digest = ${digest} AND l.expires_at > ${now} AND o.disabled_at IS NULL`,
    );
    return found?.email ?? null;
  }

  /** Spends a link and opens its session; null if it does not work, or not any more. */
  async openSession(
    manager: EntityManager,
    linkDigest: Buffer,
    { id, digest, createdAt, authenticatedAt }: NewSession,
  ): Promise<SignedInOperator | null> {
    const [opened] = await run<SignedInOperator>(
      manager,
      sql`WITH spent AS (
          DELETE FROM sign_in_link l USING operator o
          WHERE l.digest = ${linkDigest} AND l.expires_at > ${createdAt} AND o.id = l.operator_id AND o.disabled_at IS NULL
          RETURNING o.id, o.email, o.role
        ), opened AS (
          INSERT INTO operator_session (id, digest, operator_id, created_at, last_used_at, authenticated_at)
          SELECT ${id}::uuid, ${digest}::bytea, spent.id, ${createdAt}::timestamptz, ${createdAt}::timestamptz,
            ${authenticatedAt}::timestamptz FROM spent
        )
        SELECT id AS "operatorId", email, role, ${id}::uuid AS "sessionId",
          ${authenticatedAt}::timestamptz AS "authenticatedAt"
        FROM spent`,
    );
    return opened ?? null;
  }

  /** Who is signed in by this cookie; notes the use. */
  async useSession(digest: Buffer, bounds: SessionBounds): Promise<SignedInOperator | null> {
    const { rows } = await change<SignedInOperator>(
      this.dataSource,
      sql`UPDATE operator_session s SET last_used_at = ${bounds.now} FROM operator o
        WHERE s.digest = ${digest} AND ${isLive(bounds)} AND o.id = s.operator_id AND o.disabled_at IS NULL
        RETURNING o.id AS "operatorId", o.email, o.role, s.id AS "sessionId", s.authenticated_at AS "authenticatedAt"`,
    );
    return rows[0] ?? null;
  }

  async insertSession(manager: EntityManager, operatorId: string, session: NewSession): Promise<void> {
    const { id, digest, createdAt, authenticatedAt } = session;
    await run(
      manager,
      sql`INSERT INTO operator_session (id, digest, operator_id, created_at, last_used_at, authenticated_at)
        VALUES (${id}, ${digest}, ${operatorId}, ${createdAt}, ${createdAt}, ${authenticatedAt})`,
    );
  }

  /**
   * Links the account to the operator with this address, unless that operator has another account at this provider, or
   * another operator has this one. Locks the operator until the transaction ends.
   */
  async attachAccount(manager: EntityManager, { issuer, subject, email }: Account): Promise<Operator | null> {
    const { rows } = await change<Operator>(
      manager,
      sql`UPDATE operator o SET issuer = ${issuer}, subject = ${subject}
        WHERE o.email = ${email} AND (o.subject IS NULL OR o.issuer <> ${issuer} OR o.subject = ${subject})
          AND NOT EXISTS (
            SELECT 1 FROM operator other WHERE other.issuer = ${issuer} AND other.subject = ${subject} AND other.id <> o.id
          )
        RETURNING ${COLUMNS}`,
    );
    return rows[0] ?? null;
  }

  /** Null if nobody has the account, or another operator has its present address. */
  async renameAccount(manager: EntityManager, { issuer, subject, email }: Account): Promise<Operator | null> {
    const { rows } = await change<Operator>(
      manager,
      sql`UPDATE operator o SET email = ${email}
        WHERE o.issuer = ${issuer} AND o.subject = ${subject}
          AND NOT EXISTS (SELECT 1 FROM operator other WHERE other.email = ${email} AND other.id <> o.id)
        RETURNING ${COLUMNS}`,
    );
    return rows[0] ?? null;
  }

  findSessions(operatorId: string, bounds: SessionBounds): Promise<SessionRow[]> {
    return run<SessionRow>(
      this.dataSource,
      sql`SELECT s.id AS "sessionId", s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt"
        FROM operator_session s WHERE s.operator_id = ${operatorId} AND ${isLive(bounds)}
        ORDER BY s.created_at DESC, s.id DESC`,
    );
  }

  /** False if there is none. */
  async deleteSession(manager: EntityManager, operatorId: string, sessionId: string): Promise<boolean> {
    const { count } = await change(
      manager,
      sql`DELETE FROM operator_session WHERE id = ${sessionId} AND operator_id = ${operatorId}`,
    );
    return count === 1;
  }

  /** Answers whose session it was; null if there is none with this cookie. */
  async deleteSessionWith(manager: EntityManager, digest: Buffer): Promise<string | null> {
    const { rows } = await change<{ email: string }>(
      manager,
      sql`DELETE FROM operator_session s USING operator o WHERE s.digest = ${digest} AND o.id = s.operator_id
        RETURNING o.email`,
    );
    return rows[0]?.email ?? null;
  }

  /** All sessions and links of the operator. */
  async deleteSessionsOf(manager: EntityManager, operatorId: string): Promise<void> {
    await run(manager, sql`DELETE FROM operator_session WHERE operator_id = ${operatorId}`);
    await run(manager, sql`DELETE FROM sign_in_link WHERE operator_id = ${operatorId}`);
  }

  /** False if the form has been sent before. */
  async spendForm(id: string, now: Date): Promise<boolean> {
    const spent = await run(
      this.dataSource,
      sql`INSERT INTO spent_form VALUES (${id}, ${now}) ON CONFLICT DO NOTHING RETURNING id`,
    );
    return spent.length === 1;
  }

  async releaseForm(id: string): Promise<void> {
    await run(this.dataSource, sql`DELETE FROM spent_form WHERE id = ${id}`);
  }
}
