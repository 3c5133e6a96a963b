import { Counter, Histogram, type Registry } from 'prom-client';
import { ERROR_CATALOG } from '../errors/error-catalog';
import { FALLBACK_PATH } from '../http/fallback/fallback-path';
import type { EndedRequest } from '../http/server/ended-request';

/** From a cached answer to a login behind a full hash queue, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Any other method that Node's parser knows counts as `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

const LOGIN_ROUTE = '/api/v1/login';
const USUAL_LOGIN_OUTCOMES = ['success', 'invalid_credentials', 'throttled'];

/** Requests by route, refusals by code, logins by outcome. No label's values are chosen by a client. */
export class RequestMetrics {
  private readonly durations: Histogram<'route' | 'method' | 'status'>;
  private readonly refusals: Counter<'code'>;
  private readonly logins: Counter<'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.durations = new Histogram({
      name: 'consumer_service_http_request_duration_seconds',
      help: 'How long requests took; status aborted: the client did not wait.',
      labelNames: ['route', 'method', 'status'],
      buckets: BUCKETS,
      registers,
    });
    this.refusals = new Counter({
      name: 'consumer_service_http_refusals_total',
      help: 'Requests answered with a problem.',
      labelNames: ['code'],
      registers,
    });
    this.logins = new Counter({
      name: 'consumer_service_logins_total',
      help: 'Logins: success, or why not.',
      labelNames: ['outcome'],
      registers,
    });
    // Without a first 0, `rate` would miss the first count of a series.
    for (const code of Object.keys(ERROR_CATALOG)) this.refusals.inc({ code }, 0);
    for (const outcome of USUAL_LOGIN_OUTCOMES) this.logins.inc({ outcome }, 0);
  }

  observe({ method, route, status, code, aborted, durationMs }: EndedRequest): void {
    const labels = {
      route: typeof route === 'string' && !route.includes(FALLBACK_PATH) ? route : 'unmatched',
      method: METHODS.has(method) ? method : 'other',
      status: aborted ? 'aborted' : status,
    };
    this.durations.observe(labels, durationMs / 1000);
    if (code !== undefined) this.refusals.inc({ code });
    if (route === LOGIN_ROUTE) this.logins.inc({ outcome: loginOutcome(code, aborted) });
  }
}

/** `LOGIN_THROTTLED` counts as `throttled`. */
function loginOutcome(code: string | undefined, aborted: boolean): string {
  if (code !== undefined) return code.replace(/^LOGIN_/, '').toLowerCase();
  return aborted ? 'aborted' : 'success';
}
