import type { VNode } from 'preact';
import type { AuditEventView } from '../../audit/audit-event-view';
import type { Role } from '../../operators/role';
import { mayUse } from '../routes';
import { State, Table, Text, Time } from '../view/parts';

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
    heads={['At', 'Event', 'Outcome', 'By', 'Details', 'Touchpoint', ...(ofOne ? [] : ['Consumer']), 'Request']}
    rows={events.map((event) => [
      <Time at={event.at} />,
      event.type,
      <State good={event.outcome === 'done'}>
        {event.count > 1 ? `${event.outcome}, ${event.count} times` : event.outcome}
      </State>,
      event.operator === null ? event.actor : `${event.actor} ${event.operator}`,
      <code>
        {[event.reason, JSON.stringify(event.details)].filter((part) => part !== null && part !== '{}').join(' ')}
      </code>,
      <Text value={event.touchpoint} />,
      ...(ofOne ? [] : [<ConsumerLink customerId={event.customerId} role={role} />]),
      <RequestLink requestId={event.requestId} role={role} />,
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
    <a href={`/requests/${requestId}`}>
      <code>{requestId}</code>
    </a>
  ) : (
    <Text value={requestId} />
  );
