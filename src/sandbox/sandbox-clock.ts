import { AsyncLocalStorage } from 'node:async_hooks';
import { Clock } from '../platform/clock';

/** The touchpoint of a request, and by how much its time is ahead. */
interface Timeline {
  touchpointId: string | null;
  aheadMs: number;
}

/** The true time, moved ahead as the touchpoint of the present request has asked. */
export class SandboxClock extends Clock {
  private readonly requests = new AsyncLocalStorage<Timeline>();

  override epochMs(): number {
    return super.epochMs() + (this.requests.getStore()?.aheadMs ?? 0);
  }

  /** Of the present request. */
  get touchpointId(): string | null {
    return this.requests.getStore()?.touchpointId ?? null;
  }

  /** Everything that `next` begins has one time. */
  run(next: () => void): void {
    this.requests.run({ touchpointId: null, aheadMs: 0 }, next);
  }

  /** For the rest of the request. */
  enter(touchpointId: string, aheadMs: number): void {
    const request = this.requests.getStore();
    if (request) Object.assign(request, { touchpointId, aheadMs });
  }
}
