import { Injectable } from '@nestjs/common';
import { type EventFilter, type EventRange, EventRepository, type LoggedEvent } from './event.repository';

/** How many positions one statement filters. */
const WINDOW = 10_000n;
const WINDOWS_A_PAGE = 10;

/** Events, and up to where the log was read for them. */
export interface EventPage {
  events: LoggedEvent[];
  readUpTo: bigint;
}

/** Some of the events that were asked for are no longer kept. */
export class EventsExpired extends Error {
  /** `floor`: reading can go on after this position. */
  constructor(readonly floor: bigint) {
    super(`events up to position ${floor} are no longer kept`);
  }
}

/** Reads the log by windows of positions, so that a filter that few events pass does not make a statement long. */
@Injectable()
export class EventReader {
  constructor(private readonly events: EventRepository) {}

  /** Rejects with `EventsExpired` rather than leave out what is no longer kept. */
  async page(filter: EventFilter, { after, upTo: end }: EventRange, limit: number): Promise<EventPage> {
    const events: LoggedEvent[] = [];
    let readUpTo = after;
    for (let window = 0; window < WINDOWS_A_PAGE && readUpTo < end && events.length < limit; window += 1) {
      const upTo = readUpTo + WINDOW < end ? readUpTo + WINDOW : end;
      const room = limit - events.length;
      const found = await this.events.findEvents(filter, { after: readUpTo, upTo }, room);
      events.push(...found);
      readUpTo = found.length === room ? BigInt(found.at(-1)?.position ?? upTo) : upTo;
    }
    // Only afterwards, because a month may be dropped while it is read.
    if (after < end) await this.requireKept(after);
    return { events, readUpTo };
  }

  private async requireKept(after: bigint): Promise<void> {
    const { floor } = await this.events.readHead();
    if (after < floor) throw new EventsExpired(floor);
  }
}
