import type { RawAnswer } from '../http/raw-http';

/** What every request without a good touchpoint credential is told, whatever else is wrong with it. */
export const TOUCHPOINT_REFUSAL = {
  status: 401,
  contentType: 'application/problem+json',
  challenge: 'Touchpoint realm="api"',
  problem: {
    type: '/docs/errors/TOUCHPOINT_UNAUTHORIZED',
    title: 'The touchpoint credential is missing, wrong or disabled.',
    status: 401,
    code: 'TOUCHPOINT_UNAUTHORIZED',
  },
};

/** The answer as far as it must be the same for every refused request: all but its id. */
export function refusalOf({ status, headers, body }: RawAnswer) {
  const { requestId, ...problem } = JSON.parse(body) as Record<string, unknown>;
  const isTraceable = requestId === headers['x-request-id'];
  return {
    status,
    contentType: headers['content-type'],
    challenge: headers['www-authenticate'],
    problem: isTraceable ? problem : { requestId },
  };
}
