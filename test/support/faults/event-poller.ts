import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { ApiClient } from '../api/api-client';
import { type Event, EVENTS, type Feed } from '../api/subscribers';

const PAUSE_MS = 20;

/** A reader that keeps one number, and trusts it. */
export class EventPoller {
  readonly seen: string[] = [];
  /** What a reader must never see. */
  readonly faults: string[] = [];
  private readonly versions = new Map<string, number>();
  private cursor = '0';
  private stopping = false;
  private readonly polling: Promise<void>;

  constructor(private readonly client: () => ApiClient) {
    this.polling = this.poll();
  }

  /** Reads to the end. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.polling;
  }

  private async poll(): Promise<void> {
    for (;;) {
      const path = `${EVENTS}?after=${this.cursor}&limit=200&wait=${this.stopping ? 0 : 1}`;
      const answer = await this.client()
        .get<Feed>(path)
        .catch(() => null);
      if (answer?.status !== 200) {
        if (answer && answer.status !== 503) this.faults.push(`${answer.status} ${JSON.stringify(answer.body)}`);
        await sleep(PAUSE_MS);
        continue;
      }
      const { events, nextAfter } = answer.body;
      for (const event of events) this.take(event);
      if (nextAfter !== this.cursor)
        this.faults.push(`the cursor ${nextAfter} is not the last position ${this.cursor}`);
      if (this.stopping && events.length === 0) return;
    }
  }

  private take(event: Event): void {
    const { position, subject, consumerversion } = event;
    const version = (this.versions.get(subject) ?? 0) + 1;
    if (BigInt(position) !== BigInt(this.cursor) + 1n) this.faults.push(`${position} comes after ${this.cursor}`);
    if (consumerversion !== String(version))
      this.faults.push(`version ${consumerversion} of ${subject}, not ${version}`);
    this.cursor = position;
    this.versions.set(subject, version);
    this.seen.push(actOf(event));
  }
}

function actOf({ type, subject, data }: Event): string {
  if (type.startsWith('session.')) return `${type} ${String(data.sessionId)}`;
  return type === 'consumer.updated' ? `${type} ${subject} ${String(data.changed)}` : `${type} ${subject}`;
}

/** What was committed, as rows of the same transactions tell: every act that must be in the log, and no other. */
export async function committedActs(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ act: string }>(`
    SELECT 'consumer.registered ' || id AS act FROM consumer
    UNION ALL SELECT 'session.started ' || id FROM session
    UNION ALL SELECT 'session.ended ' || id FROM session WHERE revoked_at IS NOT NULL
    UNION ALL SELECT 'consumer.updated ' || consumer_id || ' ' || id FROM probe
    UNION ALL SELECT 'consumer.updated ' || consumer_id || ' ' ||
        (SELECT string_agg(field, ',') FROM jsonb_array_elements_text(details -> 'fields') AS field)
      FROM audit_event WHERE type = 'profile.changed'`);
  await client.end();
  return rows.map(({ act }) => act);
}
