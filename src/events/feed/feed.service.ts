import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { ApiError, validationFailed } from '../../platform/errors/api-error';
import { Lifecycle } from '../../platform/lifecycle';
import { EventReader, EventsExpired } from '../log/event-reader';
import { type EventFilter, type EventRange, EventRepository } from '../log/event.repository';
import { typesFor } from '../log/event-types';
import { Sequencer } from '../log/sequencer';
import type { Subscriber } from '../subscribers/subscriber.entity';
import { SubscriberRepository } from '../subscribers/subscriber.repository';
import { EventDto } from './event.dto';
import type { FeedQuery } from './feed-query';
import type { FeedDto } from './feed.dto';

/** How often to look for new events while a subscriber waits, in milliseconds. */
const LOOK_EVERY = 200;

/** Reads the log for subscribers. */
@Injectable()
export class FeedService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventRepository,
    private readonly reader: EventReader,
    private readonly sequencer: Sequencer,
    private readonly subscribers: SubscriberRepository,
    private readonly lifecycle: Lifecycle,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Waits for the first event if there is none yet; `gone` ends that. */
  async read(subscriber: Subscriber, query: FeedQuery, gone: AbortSignal): Promise<FeedDto> {
    const over = AbortSignal.any([gone, AbortSignal.timeout(query.waitSeconds * 1_000)]);
    let after = query.after ?? BigInt(subscriber.acknowledged);
    for (;;) {
      const head = await this.sequencer.catchUp();
      if (after > head.position) throw unknownPosition('after');
      const filter = { types: query.types, touchpoints: subscriber.touchpoints };
      const { events, readUpTo } = await this.reader
        .page(filter, { after, upTo: head.position }, query.limit)
        .catch(refuseExpired);
      after = readUpTo;
      if (events.length > 0 || query.waitSeconds === 0 || over.aborted || this.lifecycle.isDraining) {
        const { jwtIssuer } = this.config;
        if (events.length === 0) await this.passOver(subscriber, query, readUpTo);
        return { events: events.map((event) => EventDto.from(event, jwtIssuer)), nextAfter: String(readUpTo) };
      }
      if (readUpTo === head.position) await sleep(LOOK_EVERY, undefined, { signal: over }).catch(() => undefined);
    }
  }

  /** A position before the acknowledged one changes nothing. */
  async acknowledge(subscriber: Subscriber, position: bigint): Promise<void> {
    const { position: end } = await this.events.readHead();
    if (position > end) throw unknownPosition('position');
    await this.subscribers.acknowledge(this.dataSource.manager, subscriber.id, position, this.clock.now());
  }

  /**
   * What is not for the subscriber counts as acknowledged, so that one with few types is behind only for what it has to
   * do: that is nothing if it has read up to here without any event, and has acknowledged all that it got before.
   */
  private async passOver({ id, ...subscriber }: Subscriber, query: FeedQuery, readUpTo: bigint): Promise<void> {
    const acknowledged = BigInt(subscriber.acknowledged);
    const { after = acknowledged, types } = query;
    const filter = { types: typesFor(subscriber.types), touchpoints: subscriber.touchpoints };
    if (readUpTo <= acknowledged || types.length < filter.types.length) return;
    if (after > acknowledged && !(await this.hasNone(filter, { after: acknowledged, upTo: after }))) return;
    await this.subscribers.passOver(this.dataSource.manager, id, { after: acknowledged, upTo: readUpTo });
  }

  /** False also when events are no longer kept, or too many to look through at once. */
  private async hasNone(filter: EventFilter, range: EventRange): Promise<boolean> {
    try {
      const { events, readUpTo } = await this.reader.page(filter, range, 1);
      return events.length === 0 && readUpTo === range.upTo;
    } catch (error) {
      if (error instanceof EventsExpired) return false;
      throw error;
    }
  }
}

function refuseExpired(error: unknown): never {
  if (!(error instanceof EventsExpired)) throw error;
  const { floor } = error;
  const detail = `Events up to position ${floor} are not kept any more: read the consumers anew, and go on after ${floor}.`;
  throw new ApiError('CURSOR_EXPIRED', { detail });
}

const unknownPosition = (field: string): ApiError =>
  validationFailed([{ field, code: 'INVALID_VALUE', message: 'must be a position that has been handed out' }]);
