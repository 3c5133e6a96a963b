import { randomUUID } from 'node:crypto';
import type { TestService } from '../service/test-service';
import { ApiClient } from './api-client';
import { expectStatus } from './consumers';

export const EVENTS = '/integration/v1/events';

/** What a test reads of an event. */
export interface Event {
  id: string;
  type: string;
  subject: string;
  data: Record<string, unknown>;
  position: string;
  consumerversion: string;
}

export interface Feed {
  events: Event[];
  nextAfter: string;
}

/** What the commands show of a subscriber. */
export interface SubscriberView {
  code: string;
  key: string;
  enabled: boolean;
  types: string[];
  acknowledged: string;
  end: string;
  behind: number;
  unseenErasures: number;
  keys: { hint: string; lastUsedAt: string | null; expiresAt: string | null }[];
}

/** Another system of the business, which reads events. */
export class SubscriberClient {
  constructor(
    readonly code: string,
    readonly api: ApiClient,
  ) {}

  static async create(app: TestService, ...options: string[]): Promise<SubscriberClient> {
    const code = `sub-${randomUUID()}`;
    const { key } = await app.administer<SubscriberView>('subscriber', 'create', '--code', code, ...options);
    return new SubscriberClient(code, new ApiClient(app.baseUrl, {}).with(credential(code, key)));
  }

  withKey(key: string): SubscriberClient {
    return new SubscriberClient(this.code, this.api.with(credential(this.code, key)));
  }

  /** One page. */
  async read(query: Record<string, string | number> = {}): Promise<Feed> {
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return expectStatus(200, await this.api.get<Feed>(`${EVENTS}?${parameters}`));
  }

  /** Every event that is there, from where it has acknowledged or behind a position. */
  async readAll(after?: string): Promise<Event[]> {
    const all: Event[] = [];
    for (let cursor = after; ;) {
      const { events, nextAfter } = await this.read({ limit: 1000, ...(cursor !== undefined && { after: cursor }) });
      all.push(...events);
      // A page without events may still go forward.
      if (nextAfter === cursor) return all;
      cursor = nextAfter;
    }
  }

  /** Those of one consumer, each as its type and data. */
  async of(customerId: string): Promise<[string, Record<string, unknown>][]> {
    const own = (await this.readAll()).filter(({ subject }) => subject === customerId);
    expect(own.map(({ consumerversion }) => consumerversion)).toEqual(own.map((_, index) => String(index + 1)));
    return own.map(({ type, data }) => [type, data]);
  }

  async acknowledge(position: string): Promise<void> {
    expectStatus(204, await this.api.post(`${EVENTS}/ack`, { position }));
  }
}

export const credential = (code: string, key: string) => ({ 'X-Subscriber-Code': code, 'X-Subscriber-Key': key });
