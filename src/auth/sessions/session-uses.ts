import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../platform/clock';
import type { SessionPrincipal } from './session-principal';
import { SessionRepository } from './session.repository';

/** How often, in seconds, a process notes that a session is used. */
const NOTED_EVERY = 60;
const FLUSH_INTERVAL_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** Records when sessions were last used, later and many at once, so that no request waits for it. */
@Injectable()
export class SessionUses implements OnApplicationShutdown {
  /** When the use of each session was noted, in seconds since 1970. */
  private readonly notedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  /** When each session was last used. */
  private readonly waiting = new Map<string, Date>();
  private readonly flushTimer: NodeJS.Timeout;

  constructor(
    private readonly sessions: SessionRepository,
    private readonly clock: Clock,
  ) {
    this.flushTimer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  /** The login counts as a use, so that most requests note nothing. */
  note({ sessionId, signedInAt }: SessionPrincipal): void {
    const now = this.clock.epochMs() / 1000;
    if (now - (this.notedAt.get(sessionId) ?? signedInAt) < NOTED_EVERY) return;
    this.notedAt.set(sessionId, now);
    this.waiting.set(sessionId, new Date(now * 1000));
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.flushTimer);
    await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.waiting.size === 0) return;
    const uses = [...this.waiting];
    this.waiting.clear();
    try {
      await this.sessions.recordUse(uses);
    } catch {
      // They are lost: the next use of each session is noted again.
      for (const [id] of uses) this.notedAt.delete(id);
    }
  }
}
