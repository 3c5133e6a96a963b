import { stringify } from 'csv-stringify/sync';
import type { AuditEvent } from '../../audit/audit-event';

const COLUMNS: [head: string, valueOf: (event: AuditEvent) => string | number | null][] = [
  ['at', ({ occurredAt }) => occurredAt.toISOString()],
  ['event', ({ type }) => type],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['times', ({ count }) => count],
  ['actor', ({ actor }) => actor],
  ['operator', ({ operator }) => operator],
  ['touchpoint', ({ touchpoint }) => touchpoint],
  ['consumer', ({ consumerId }) => consumerId],
  ['request', ({ requestId }) => requestId],
  ['details', ({ details }) => JSON.stringify(details)],
];

/** RFC 4180, with a line of names; a value that a spreadsheet would calculate is marked as text. */
export const auditCsv = (events: AuditEvent[]): string =>
  stringify([COLUMNS.map(([head]) => head), ...events.map((event) => COLUMNS.map(([, valueOf]) => valueOf(event)))], {
    ...{ escape_formulas: true, record_delimiter: 'windows' },
  });
