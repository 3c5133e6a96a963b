import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { AuditEvent } from '../../audit/audit-event.entity';
import { AuditTrail } from '../../audit/audit-trail.service';
import { AppConfig } from '../../platform/config';
import { type Answer, type ConsoleRequest, type Handlers, redirect } from '../http/exchange';
import { mayUse } from '../routes';
import { Facts, Field, Form, Notice, State, Table, Text, Time } from '../view/parts';
import { Looks } from './looks';

const PAGE_EVENTS = 100;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const FILTERS: [name: string, label: string, hint: string][] = [
  ['consumer', 'Consumer', 'a customer id'],
  ['touchpoint', 'Touchpoint', 'a code'],
  ['request', 'Request', 'an X-Request-Id'],
  ['since', 'Since', 'a day or time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z'],
];

/** The audit trail, and what it says of one request. */
@Injectable()
export class AuditPages {
  readonly handlers: Handlers<'GET /audit' | 'GET /requests' | 'POST /requests' | 'GET /requests/:requestId'> = {
    'GET /audit': (request) => this.list(request),
    'GET /requests': () => requestsPage(),
    'POST /requests': ({ form: { request = '' } }) => {
      const id = request.trim();
      return REQUEST_ID.test(id)
        ? redirect(`/requests/${id}`)
        : requestsPage('A request id has 1 to 128 letters, digits, dots, dashes and underscores');
    },
    'GET /requests/:requestId': (request) => this.explain(request),
  };

  constructor(
    private readonly trail: AuditTrail,
    private readonly config: AppConfig,
    private readonly looks: Looks,
  ) {}

  private async list({ query, origin }: ConsoleRequest): Promise<Answer> {
    const given = Object.fromEntries(FILTERS.map(([name]) => [name, query[name]?.trim() ?? '']));
    const { consumer = '', touchpoint = '', request = '', since = '' } = given;
    const from = since === '' ? undefined : new Date(since);
    const reason = filterFault(consumer, from, query.before);
    await this.looks.record(origin, { type: 'page.viewed', details: { path: '/audit' } });
    const filter = {
      ...(consumer !== '' && { consumerId: consumer }),
      ...(touchpoint !== '' && { touchpoint }),
      ...(request !== '' && { requestId: request }),
      ...(from && { since: from }),
    };
    const { events, hasMore } =
      reason === undefined
        ? await this.trail.page(filter, { limit: PAGE_EVENTS, before: query.before })
        : { events: [], hasMore: false };
    const older = new URLSearchParams({ ...given, before: events[0]?.id ?? '' }).toString();
    return {
      title: 'Audit',
      status: reason === undefined ? 200 : 400,
      page: (
        <>
          {reason !== undefined && <Notice kind="error">{reason}</Notice>}
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
          <section>
            <Events events={events.toReversed()} caption="The newest first" />
            {hasMore && (
              <p>
                <a href={`/audit?${older}`}>Older events</a>
              </p>
            )}
          </section>
        </>
      ),
    };
  }

  private async explain({ params: { requestId = '' }, origin, operator }: ConsoleRequest): Promise<Answer> {
    await this.looks.record(origin, { type: 'page.viewed', details: { path: `/requests/${requestId}` } });
    const explanation = await this.trail.explain(requestId);
    if (!explanation) {
      return requestsPage(
        `Nothing is recorded of request ${requestId}: it changed nothing and was not refused, it was only counted among equal refusals, or it is older than ${this.config.auditRetentionDays} days`,
        404,
      );
    }
    return {
      title: `Request ${requestId}`,
      page: (
        <>
          {explanation.refusals.map((refusal) => (
            <section>
              <h2>{`${refusal.status} ${refusal.code}`}</h2>
              <Facts
                facts={[
                  ['At', <Time at={refusal.at} />],
                  ['Request', `${refusal.method} ${refusal.route ?? '(no such route)'}`],
                  ['Touchpoint', <Text value={refusal.touchpoint} />],
                  ['Consumer', consumerLink(refusal.customerId, mayUse(operator.role, 'GET /consumers/:customerId'))],
                  ['Reason', <Text value={refusal.reason} />],
                ]}
              />
              <Table
                caption="The checks, in their order"
                heads={['Check', 'Result', 'Finding']}
                rows={refusal.checks.map(({ check, result, finding }) => [
                  check,
                  <State good={result !== 'refused' && result !== 'failed'}>{result}</State>,
                  <Text value={finding} />,
                ])}
                empty=""
              />
              <p>
                What the partner can do is at <code>{`/docs/errors/${refusal.code}`}</code> of the API.
              </p>
            </section>
          ))}
          {explanation.acts.length > 0 && (
            <section>
              <h2>What it did</h2>
              <Events events={explanation.acts} caption="The oldest first" />
            </section>
          )}
          {explanation.isCut && <Notice kind="info">Older events with this id are not shown.</Notice>}
        </>
      ),
    };
  }
}

const Events = ({ events, caption }: { events: AuditEvent[]; caption: string }) => (
  <Table
    caption={caption}
    heads={['At', 'Event', 'Outcome', 'By', 'Touchpoint', 'Consumer', 'Details']}
    rows={events.map((event) => [
      <Time at={event.occurredAt} />,
      event.type,
      <State good={event.outcome === 'done'}>
        {event.count > 1 ? `${event.outcome}, ${event.count} times` : event.outcome}
      </State>,
      event.operator === null ? event.actor : `${event.actor} ${event.operator}`,
      <Text value={event.touchpoint} />,
      <Text value={event.consumerId} />,
      <code>
        {[event.reason, JSON.stringify(event.details)].filter((part) => part !== null && part !== '{}').join(' ')}
      </code>,
    ])}
    empty="No event is like this."
  />
);

const requestsPage = (reason?: string, status = 400): Answer => ({
  title: 'Requests',
  status: reason === undefined ? 200 : status,
  page: (
    <>
      {reason !== undefined && <Notice kind="error">{reason}</Notice>}
      <section>
        <p>
          Every answer of the API has a request id, in its header and in each problem. Paste it to see what happened.
        </p>
        <Form action="/requests" button="Search">
          <Field label="Request" name="request" hint="An X-Request-Id" required maxLength={128} />
        </Form>
      </section>
    </>
  ),
});

const consumerLink = (customerId: string | null, mayLook: boolean) =>
  customerId !== null && mayLook ? <a href={`/consumers/${customerId}`}>{customerId}</a> : <Text value={customerId} />;

function filterFault(consumer: string, since: Date | undefined, before: string | undefined): string | undefined {
  if (consumer !== '' && !isUUID(consumer)) return 'Consumer must be a customer id';
  if (since && Number.isNaN(since.getTime())) return 'Since must be a day or a time';
  if (before !== undefined && !isUUID(before)) return 'There is no such page';
  return undefined;
}
