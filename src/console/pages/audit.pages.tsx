import { Injectable } from '@nestjs/common';
import { auditEventView } from '../../audit/audit-event-view';
import type { AuditFilter } from '../../audit/audit-event.repository';
import { AuditTrail } from '../../audit/audit-trail.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { pointInTime } from '../../platform/values/point-in-time';
import { isUuid } from '../../platform/values/uuid';
import { type Answer, type ConsoleRequest, type Faults, type Handlers, NotFoundError } from '../http/exchange';
import { Field, Refusal } from '../view/form';
import { auditCsv } from './audit-csv';
import { Events } from './audit.parts';
import { Looks } from '../looks.service';

const PAGE_EVENTS = 100;
const FILE_EVENTS = 10_000;

const FILTERS: [name: string, label: string, hint: string][] = [
  ['consumer', 'Consumer', 'a customer id'],
  ['touchpoint', 'Touchpoint', 'a code'],
  ['request', 'Request', 'an X-Request-Id'],
  ['since', 'Since', 'a time such as 2026-01-31T12:00:00Z, a day, or 24h back from now'],
];

/** The audit trail. */
@Injectable()
export class AuditPages {
  readonly handlers: Handlers<'GET /audit' | 'GET /audit.csv'> = {
    'GET /audit': (request) => this.list(request),
    'GET /audit.csv': (request) => this.download(request),
  };

  constructor(
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    private readonly looks: Looks,
  ) {}

  private async list({ query, origin, operator }: ConsoleRequest): Promise<Answer> {
    const { given, filter, faults, fault } = filterIn(query, this.clock.now());
    await this.recordLook(origin, '/audit', fault === undefined ? filter : {});
    const { events, hasMore } =
      fault === undefined
        ? await this.trail.page(filter, { limit: PAGE_EVENTS, before: query.before })
        : { events: [], hasMore: false };
    const older = new URLSearchParams({ ...given, before: events[0]?.id ?? '' }).toString();
    const all = new URLSearchParams(given).toString();
    return {
      title: 'Audit',
      status: fault === undefined ? 200 : 400,
      faults,
      page: (
        <>
          <Refusal reason={fault} />
          <section>
            <form method="get" action="/audit">
              <div class="columns">
                {FILTERS.map(([name, label, hint]) => (
                  <Field label={label} name={name} value={given[name]} hint={hint} />
                ))}
              </div>
              <button type="submit">Search</button>
            </form>
          </section>
          {fault === undefined && (
            <section>
              <Events
                events={events.toReversed().map(auditEventView)}
                caption="The newest first"
                role={operator.role}
              />
              {events.length > 0 && (
                <p>
                  <a href={`/audit.csv?${all}`}>{`The newest ${FILE_EVENTS.toLocaleString('en')} of them as CSV`}</a>
                </p>
              )}
              {hasMore && (
                <p>
                  <a href={`/audit?${older}`}>Older events</a>
                </p>
              )}
            </section>
          )}
        </>
      ),
    };
  }

  private async download({ query, origin }: ConsoleRequest): Promise<Answer> {
    const { filter, fault } = filterIn(query, this.clock.now());
    if (fault !== undefined) throw new NotFoundError();
    await this.recordLook(origin, '/audit.csv', filter);
    const { events } = await this.trail.page(filter, { limit: FILE_EVENTS, before: query.before });
    return { download: 'audit.csv', content: auditCsv(events.toReversed()) };
  }

  /** And whose data, where the filter names one consumer. */
  private recordLook(origin: Origin, path: string, { consumerId }: AuditFilter): Promise<void> {
    return this.looks.record(origin, {
      type: 'page.viewed',
      ...(consumerId !== undefined && { consumerId }),
      details: { path },
    });
  }
}

function filterIn(query: Record<string, string>, now: Date) {
  const given = Object.fromEntries(FILTERS.map(([name]) => [name, query[name]?.trim() ?? '']));
  const { consumer = '', touchpoint = '', request = '', since = '' } = given;
  const from = since === '' ? undefined : pointInTime(since, now);
  const filter = {
    ...(consumer !== '' && { consumerId: consumer }),
    ...(touchpoint !== '' && { touchpoint }),
    ...(request !== '' && { requestId: request }),
    ...(from && { since: from }),
  };
  const faults = filterFaults(consumer, from);
  const [fault] =
    query.before !== undefined && !isUuid(query.before) ? ['There is no such page'] : Object.values(faults);
  return { given, filter, faults, fault };
}

const filterFaults = (consumer: string, since: Date | null | undefined): Faults => ({
  ...(consumer !== '' && !isUuid(consumer) && { consumer: 'Consumer must be a customer id' }),
  ...(since === null && { since: 'Since must be a time such as 2026-01-31T12:00:00Z, a day, or 24h' }),
});
