import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { change, run } from '../../platform/database/statement';
import type { Sealed } from '../../platform/secrets/sealing';
import type { EventType } from '../log/event-types';
import { EVENT_HEAD, type EventRange } from '../log/event.repository';
import { acknowledging, SUBSCRIBER } from '../subscribers/subscriber.repository';

/** How long a process may send for a subscriber; afterwards another one may. */
const LEASE = sql`interval '60 seconds'`;
const GIVEN_UP_AFTER = sql`interval '5 days'`;

const seconds = (count: number): Sql => sql`${count}::float8 * interval '1 second'`;

/** A webhook for which this process sends. */
export interface TakenWebhook {
  subscriberId: string;
  code: string;
  types: EventType[];
  touchpoints: string[];
  acknowledged: string;
  url: string;
  /** Failed attempts in a row before this one. */
  failures: number;
  /** Until when this process sends alone; a changed value means that the webhook was changed meanwhile. */
  lease: string;
  secret: Sealed;
  /** Null: only one secret signs. */
  formerSecret: Sealed | null;
}

const SECRETS = sql`json_build_object('sealed', w.secret, 'key', w.secret_key) AS secret,
  CASE WHEN w.former_until > now() THEN json_build_object('sealed', w.former_secret, 'key', w.former_secret_key) END
    AS "formerSecret"`;

/** The present secret of the row `known` becomes the former one; without an overlap nothing of it is kept. */
const formerOf = (overlapSeconds: number): Sql =>
  overlapSeconds === 0
    ? sql`former_secret = NULL, former_secret_key = NULL, former_until = NULL`
    : sql`former_secret = known.secret, former_secret_key = known.secret_key,
        former_until = now() + ${seconds(overlapSeconds)}`;

/** What a push needs. */
export type WebhookTarget = Pick<TakenWebhook, 'subscriberId' | 'url' | 'secret' | 'formerSecret'>;

/** Every statement on `webhook`; its times are the database's, which all replicas share. */
@Injectable()
export class WebhookRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The secret of an existing one also signs for `overlapSeconds` more. */
  async setWebhook(
    manager: EntityManager,
    subscriberId: string,
    url: string,
    secret: Sealed,
    overlapSeconds: number,
  ): Promise<void> {
    await run(
      manager,
      sql`INSERT INTO webhook AS known (subscriber_id, url, secret, secret_key, due_at, failures)
        VALUES (${subscriberId}, ${url}, ${secret.sealed}, ${secret.key}, now(), 0)
        ON CONFLICT (subscriber_id) DO UPDATE SET url = excluded.url, secret = excluded.secret,
          secret_key = excluded.secret_key, ${formerOf(overlapSeconds)}, due_at = now(), failures = 0,
          failing_since = NULL, reason = NULL, disabled_at = NULL`,
    );
  }

  /** The present secret also signs for `overlapSeconds` more; false if there is no webhook. */
  async rotateSecret(
    manager: EntityManager,
    subscriberId: string,
    secret: Sealed,
    overlapSeconds: number,
  ): Promise<boolean> {
    const { count } = await change(
      manager,
      sql`UPDATE webhook known SET secret = ${secret.sealed}, secret_key = ${secret.key},
          ${formerOf(overlapSeconds)}
        WHERE subscriber_id = ${subscriberId}`,
    );
    return count === 1;
  }

  /** Deletes the secrets whose overlap has ended. */
  async forgetFormerSecrets(): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE webhook SET former_secret = NULL, former_secret_key = NULL, former_until = NULL
        WHERE former_until <= now()`,
    );
  }

  /** False if there was none. */
  async deleteWebhook(manager: EntityManager, subscriberId: string): Promise<boolean> {
    const { count } = await change(manager, sql`DELETE FROM webhook WHERE subscriber_id = ${subscriberId}`);
    return count === 1;
  }

  async anyIsDue(): Promise<boolean> {
    const due = await run(
      this.dataSource,
      sql`SELECT 1 FROM webhook WHERE due_at <= now() AND disabled_at IS NULL LIMIT 1`,
    );
    return due.length > 0;
  }

  /** A webhook whose subscriber has events waiting, for this process alone. */
  async take(): Promise<TakenWebhook | null> {
    const { rows } = await change<TakenWebhook>(
      this.dataSource,
      sql`UPDATE webhook w SET due_at = now() + ${LEASE} FROM ${SUBSCRIBER}
        WHERE s.id = w.subscriber_id AND w.subscriber_id = (
          SELECT d.subscriber_id FROM webhook d JOIN ${SUBSCRIBER} ON s.id = d.subscriber_id CROSS JOIN ${EVENT_HEAD}
          WHERE d.due_at <= now() AND d.disabled_at IS NULL AND s.enabled AND s.acknowledged < h.position
          ORDER BY d.due_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
        RETURNING w.subscriber_id AS "subscriberId", s.code, s.types, s.touchpoints, s.acknowledged, w.url, w.failures,
          w.due_at::text AS lease, ${SECRETS}`,
    );
    return rows[0] ?? null;
  }

  /** The subscribers whose webhooks failed for too long. */
  async findGivenUp(): Promise<Set<string>> {
    const rows = await run<{ subscriberId: string }>(
      this.dataSource,
      sql`SELECT subscriber_id AS "subscriberId" FROM webhook WHERE disabled_at IS NOT NULL`,
    );
    return new Set(rows.map(({ subscriberId }) => subscriberId));
  }

  /** For a test event, in any state. */
  async find(subscriberId: string): Promise<WebhookTarget | null> {
    const [found] = await run<WebhookTarget>(
      this.dataSource,
      sql`SELECT w.subscriber_id AS "subscriberId", w.url, ${SECRETS} FROM webhook w WHERE w.subscriber_id = ${subscriberId}`,
    );
    return found ?? null;
  }

  /**
   * The events from one position to another have been taken; false, and nothing is acknowledged, if meanwhile the
   * subscriber was rewound or disabled, its webhook set or removed, or the lease ended.
   */
  async advance({ subscriberId, lease }: TakenWebhook, range: EventRange, at: Date): Promise<boolean> {
    const { count } = await change(
      this.dataSource,
      sql`${acknowledging(subscriberId, range, at)}
        AND EXISTS (SELECT 1 FROM webhook w WHERE w.subscriber_id = s.id AND w.due_at = ${lease}::timestamptz)`,
    );
    return count === 1;
  }

  /** Nothing failed: another process may continue at once. */
  async release({ subscriberId, lease }: TakenWebhook): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE webhook SET due_at = now(), failures = 0, failing_since = NULL, reason = NULL
        WHERE subscriber_id = ${subscriberId} AND due_at = ${lease}::timestamptz`,
    );
  }

  /** Why nothing was sent, without a failure. */
  async explain({ subscriberId, lease }: TakenWebhook, reason: string): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE webhook SET reason = ${reason}
        WHERE subscriber_id = ${subscriberId} AND due_at = ${lease}::timestamptz AND failures = 0`,
    );
  }

  /**
   * Sets the wait before the next attempt, by the failures in a row before this one; true if it has failed for too long
   * and is disabled.
   */
  async fail(
    manager: EntityManager,
    { subscriberId, lease, failures }: TakenWebhook,
    reason: string,
    pause: number,
  ): Promise<boolean> {
    const failingSince = failures === 0 ? sql`now()` : sql`COALESCE(failing_since, now())`;
    const { rows } = await change<{ isGivenUp: boolean }>(
      manager,
      sql`UPDATE webhook SET failures = ${failures + 1}, failing_since = ${failingSince}, reason = ${reason},
          due_at = now() + ${seconds(pause)},
          disabled_at = CASE WHEN ${failingSince} < now() - ${GIVEN_UP_AFTER} THEN now() END
        WHERE subscriber_id = ${subscriberId} AND due_at = ${lease}::timestamptz
        RETURNING disabled_at IS NOT NULL AS "isGivenUp"`,
    );
    return rows[0]?.isGivenUp ?? false;
  }
}
