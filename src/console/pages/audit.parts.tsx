import type { VNode } from 'preact';
import type { AuditEventView } from '../../audit/audit-event-view';
import type { Role } from '../../operators/role';
import { mayUse } from '../routes';
import { Long, State, Table, Text, Time } from '../view/parts';

interface EventsProps {
  events: AuditEventView[];
  caption: string;
  role: Role;
  /** All of them concern one consumer, who is not named then. */
  ofOne?: boolean;
}

/** What is recorded, with links to what this role may look at. */
export const Events = ({ events, caption, role, ofOne = false }: EventsProps): VNode => (
  <Table
    caption={caption}
    heads={['At', 'Event', 'Outcome', 'By', 'Touchpoint', ...(ofOne ? [] : ['Consumer']), 'Request', 'Details']}
    rows={events.map((event) => [
      <Time at={event.at} />,
      event.type,
      <State good={event.outcome === 'done'}>
        {event.count > 1 ? `${event.outcome}, ${event.count} times` : event.outcome}
      </State>,
      <Long>{event.operator === null ? event.actor : `${event.actor} ${event.operator}`}</Long>,
      <Long>
        <Text value={event.touchpoint} />
      </Long>,
      ...(ofOne
        ? []
        : [
            <Long id>
              <ConsumerLink customerId={event.customerId} role={role} />
            </Long>,
          ]),
      <Long id>
        <RequestLink requestId={event.requestId} role={role} />
      </Long>,
      <Long>
        {[event.reason, JSON.stringify(event.details)].filter((part) => part !== null && part !== '{}').join(' ')}
      </Long>,
    ])}
    empty="No event matches."
  />
);

export const ConsumerLink = ({ customerId, role }: { customerId: string | null; role: Role }): VNode =>
  customerId !== null && mayUse(role, 'GET /consumers/:customerId') ? (
    <a href={`/consumers/${customerId}`}>{customerId}</a>
  ) : (
    <Text value={customerId} />
  );

const RequestLink = ({ requestId, role }: { requestId: string | null; role: Role }): VNode =>
  requestId !== null && mayUse(role, 'GET /requests/:requestId') ? (
    <a href={`/requests/${requestId}`}>{requestId}</a>
  ) : (
    <Text value={requestId} />
  );
