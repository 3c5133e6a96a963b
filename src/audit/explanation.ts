import type { ErrorCode } from '../platform/errors/error-catalog';
import type { AuditEvent } from './audit-event';
import type { RefusedRequest } from './refusals.service';

/** The checks of a request in their order, with the codes of each; any other code is the operation's. */
const CHECKS: [name: string, codes: ErrorCode[]][] = [
  ['touchpoint credential', ['TOUCHPOINT_UNAUTHORIZED']],
  ['reserved route', ['NOT_IMPLEMENTED']],
  ['rate limit', ['RATE_LIMITED']],
  ['expectation', ['EXPECTATION_FAILED']],
  ['route', ['NOT_FOUND', 'METHOD_NOT_ALLOWED']],
  ['customer token', ['UNAUTHENTICATED']],
  [
    'touchpoint mode',
    ['LOGIN_METHOD_NOT_ALLOWED', 'PASSWORD_NOT_ALLOWED', 'IDENTIFY_NOT_ALLOWED', 'SESSION_EXTENSION_NOT_ALLOWED'],
  ],
  ['input', ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON', 'VALIDATION_FAILED', 'BAD_REQUEST']],
  ['operation', []],
];

/** The same for a request of a subscriber. */
const SUBSCRIBER_CHECKS: typeof CHECKS = [
  ['subscriber credential', ['SUBSCRIBER_UNAUTHORIZED']],
  ...CHECKS.filter(([check]) => ['rate limit', 'route', 'input', 'operation'].includes(check)),
];

/** The checks that a public route does not need. */
const NOT_ASKED = 'not asked for';

type Result = 'passed' | 'refused' | 'failed' | 'not reached';

interface ExplainedCheck {
  check: string;
  result: Result;
  /** What the check found. */
  finding: string | null;
}

interface ExplainedRefusal extends RefusedRequest {
  at: string;
  touchpoint: string | null;
  customerId: string | null;
  reason: string | null;
  checks: ExplainedCheck[];
}

/** What the trail says about the requests with one id; a client may use an id again. */
export interface RequestExplanation {
  requestId: string;
  /** There are older events that are not shown. */
  isCut: boolean;
  refusals: ExplainedRefusal[];
  acts: AuditEvent[];
}

/** The events are in the order of time. */
export function explain(requestId: string, events: AuditEvent[], isCut: boolean): RequestExplanation {
  const isRefusal = ({ type }: AuditEvent) => type === 'request.refused';
  return {
    requestId,
    isCut,
    refusals: events.filter(isRefusal).map(explainRefusal),
    acts: events.filter((event) => !isRefusal(event)),
  };
}

function explainRefusal(event: AuditEvent): ExplainedRefusal {
  const request = event.details as RefusedRequest;
  return {
    ...{ at: event.occurredAt.toISOString(), ...request, reason: event.reason },
    ...{ touchpoint: event.touchpoint, customerId: event.consumerId, checks: checksOf(event, request) },
  };
}

function checksOf(event: AuditEvent, { code, errors, subscriber }: RefusedRequest): ExplainedCheck[] {
  const checks = event.actor === 'subscriber' ? SUBSCRIBER_CHECKS : CHECKS;
  const refusing = checks.findIndex(([, codes]) => codes.some((known) => known === code));
  // A request without a known caller failed at the first check.
  const isKnown = event.touchpoint !== null || subscriber !== undefined;
  const last = refusing >= 0 ? refusing : isKnown ? checks.length - 1 : 0;
  return checks.map(([check], index) => {
    if (index > last) return { check, result: 'not reached', finding: null };
    if (index < last) return { check, result: 'passed', finding: foundBy(check, event) };
    const finding = [code, event.reason, ...(errors ?? [])].filter((part) => part !== null).join(', ');
    return { check, result: event.outcome === 'failed' ? 'failed' : 'refused', finding };
  });
}

function foundBy(check: string, { actor, touchpoint, consumerId }: AuditEvent): string | null {
  if (check === 'touchpoint credential') return touchpoint ?? NOT_ASKED;
  if (check === 'customer token') return actor === 'consumer' ? consumerId : NOT_ASKED;
  return null;
}
