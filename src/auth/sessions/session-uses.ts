import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../platform/clock';
import type { SessionPrincipal } from './session-principal';
import { SessionRepository } from './session.repository';

/** How often, in seconds, a process notes that a session is used. */
const NOTED_EVERY = 60;
const FLUSH_INTERVAL_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** Records when sessions were last used: later and together, so that no request waits for it. */
@Injectable()
export class SessionUses implements OnApplicationShutdown {
  /** When the use of each session was noted, in seconds since 1970. */
  private readonly notedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  private readonly waiting = new Set<string>();
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
    this.waiting.add(sessionId);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.flushTimer);
    await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.waiting.size === 0) return;
    const ids = [...this.waiting];
    this.waiting.clear();
    try {
      await this.sessions.recordUse(ids, this.clock.now());
    } catch {
      // The next use of each is noted again.
      for (const id of ids) this.notedAt.delete(id);
    }
  }
}
