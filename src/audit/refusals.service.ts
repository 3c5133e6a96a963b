import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../platform/clock';
import { isDatabaseUnavailable } from '../platform/database/connection/database-errors';
import type { ApiError } from '../platform/errors/api-error';
import type { ApiRequest } from '../platform/http/api-request';
import { LOGGER } from '../platform/logger';
import { newId } from '../platform/random';
import type { AuditEvent } from './audit-event';
import { AuditEventRepository } from './audit-event.repository';

/** How often refusals are written, in milliseconds. */
const FLUSH_INTERVAL = 500;

/** In each window (milliseconds) this many equal refusals get a row each; the others are counted in one row. */
const WINDOW = 60_000;
const ROWS_A_WINDOW = 10;

/** How many refusals may wait while the database is away; more are lost, and the log says so. */
const MAX_WAITING = 1_000;

/** What is kept of a refused request: nothing from its headers or body. */
export interface RefusedRequest {
  method: string;
  /** The route's pattern; null when there is none. */
  route: string | null;
  status: number;
  code: string;
  /** The code of the subscriber that sent it. */
  subscriber?: string;
  /** The fields that were not valid, each with its code. */
  errors?: string[];
}

type Row = Omit<AuditEvent, 'details'> & { details: RefusedRequest };

/** Records refused requests without slowing them; in a flood, equal ones are only counted. */
@Injectable()
export class Refusals implements OnApplicationShutdown {
  private waiting: Row[] = [];
  private lost = 0;
  private readonly written = new Map<string, number>();
  private readonly counted = new Map<string, Row>();
  private windowEndsAt = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly events: AuditEventRepository,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL).unref();
  }

  record(request: ApiRequest, touchpoint: string | null, error: ApiError): void {
    this.closeWindow();
    const row = this.rowOf(request, touchpoint, error);
    // The key names only touchpoints that exist: codes that a stranger makes up must not fill memory or table.
    const { subscriberCode = error.refusal.subscriber } = request;
    const key = [touchpoint ?? error.refusal.touchpoint, subscriberCode, error.code, row.reason].join('\n');
    const written = this.written.get(key) ?? 0;
    if (written < ROWS_A_WINDOW) {
      this.written.set(key, written + 1);
      this.push(row);
    } else {
      const count = (this.counted.get(key)?.count ?? 0) + 1;
      this.counted.set(key, { ...row, requestId: null, consumerId: null, count });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.pushCounted();
    await this.flush();
  }

  private async flush(): Promise<void> {
    this.closeWindow();
    const rows = this.waiting;
    if (rows.length === 0) return;
    this.waiting = [];
    try {
      await this.events.insertMissingEvents(rows);
      if (this.lost > 0) this.logger.error({ lost: this.lost }, 'Refusals were lost while the database was away');
      this.lost = 0;
    } catch (err) {
      if (isDatabaseUnavailable(err)) for (const row of rows) this.push(row);
      else this.logger.error({ err, lost: rows.length }, 'Refusals could not be recorded');
    }
  }

  private push(row: Row): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push(row);
    else this.lost += row.count;
  }

  private closeWindow(): void {
    const now = this.clock.monotonicMs();
    if (now < this.windowEndsAt) return;
    this.windowEndsAt = now + WINDOW;
    this.pushCounted();
  }

  private pushCounted(): void {
    for (const row of this.counted.values()) this.push(row);
    this.counted.clear();
    this.written.clear();
  }

  private rowOf(request: ApiRequest, touchpoint: string | null, { code, status, errors, refusal }: ApiError): Row {
    const { method, requestId } = request;
    // A token whose session has ended names no consumer: the consumer may have been erased.
    const user = code === 'UNAUTHENTICATED' ? undefined : request.user;
    const route = (request.route as { path?: string } | undefined)?.path ?? '';
    const subscriber = request.subscriberCode ?? refusal.subscriber;
    const isSubscriber = subscriber !== undefined || code === 'SUBSCRIBER_UNAUTHORIZED';
    return {
      id: newId(),
      occurredAt: this.clock.now(),
      type: 'request.refused',
      outcome: status >= 500 && code !== 'NOT_IMPLEMENTED' ? 'failed' : 'refused',
      reason: refusal.reason ?? null,
      actor: user ? 'consumer' : isSubscriber ? 'subscriber' : 'touchpoint',
      operator: null,
      touchpoint: touchpoint ?? refusal.touchpoint ?? refusal.claimedTouchpoint ?? null,
      requestId,
      consumerId: refusal.consumerId ?? user?.consumerId ?? null,
      details: {
        ...{ method, route: route.startsWith('/') ? route : null, status, code },
        ...(subscriber !== undefined && { subscriber }),
        ...(errors && { errors: errors.map((error) => `${fieldName(error.field)} ${error.code}`) }),
      },
      count: 1,
    };
  }
}

/** Names of attributes come from the client and are left out. */
const fieldName = (path: string): string => (path.startsWith('attributes.') ? 'attributes' : path);
