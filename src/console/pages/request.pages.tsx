import { Injectable } from '@nestjs/common';
import type { VNode } from 'preact';
import { auditEventView } from '../../audit/audit-event-view';
import { AuditTrail } from '../../audit/audit-trail.service';
import { AppConfig } from '../../platform/settings/config';
import { guidanceOn, isErrorCode } from '../../platform/errors/error-guidance';
import {
  type Answer,
  type ConsoleRequest,
  type Faults,
  type Handlers,
  NotFoundError,
  redirect,
} from '../http/exchange';
import { Looks } from '../looks.service';
import { Field, Form, Refusal } from '../view/form';
import { Facts, Notice, State, Table, Text, Time } from '../view/parts';
import { ConsumerLink, Events } from './audit.parts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const REQUEST_ID_RULE = 'A request id has 1 to 128 letters, digits, dots, dashes and underscores';

/** What happened to one request of the API, check by check. */
@Injectable()
export class RequestPages {
  readonly handlers: Handlers<'GET /requests' | 'POST /requests' | 'GET /requests/:requestId'> = {
    'GET /requests': () => requestsPage(),
    'POST /requests': ({ form: { request = '' } }) => {
      const id = request.trim();
      return REQUEST_ID.test(id)
        ? redirect(`/requests/${id}`)
        : requestsPage(REQUEST_ID_RULE, { request: REQUEST_ID_RULE });
    },
    'GET /requests/:requestId': (request) => this.explain(request),
  };

  constructor(
    private readonly trail: AuditTrail,
    private readonly config: AppConfig,
    private readonly looks: Looks,
  ) {}

  private async explain({ params: { requestId = '' }, origin, operator }: ConsoleRequest): Promise<Answer> {
    if (!REQUEST_ID.test(requestId)) throw new NotFoundError();
    await this.looks.record(origin, { type: 'page.viewed', details: { path: `/requests/${requestId}` } });
    const explanation = await this.trail.explain(requestId);
    if (!explanation) {
      return requestsPage(
        `Nothing is recorded of request ${requestId}: it changed nothing and was not refused, it was only counted among equal refusals, or it is older than ${this.config.auditRetentionDays} days`,
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
                  ['Consumer', <ConsumerLink customerId={refusal.customerId} role={operator.role} />],
                  ['Reason', <Text value={refusal.reason} />],
                ]}
              />
              <Table
                caption="The checks, in their order"
                heads={['Check', 'Result', 'Finding']}
                rows={refusal.checks.map(({ check, result, finding }) => [
                  check,
                  <State good={result === 'not reached' ? null : result === 'passed'}>{result}</State>,
                  <Text value={finding} />,
                ])}
                empty=""
              />
              <ForPartner code={refusal.code} />
            </section>
          ))}
          {explanation.acts.length > 0 && (
            <section>
              <h2>What it did</h2>
              <Events events={explanation.acts.map(auditEventView)} caption="The oldest first" role={operator.role} />
            </section>
          )}
          {explanation.isCut && <Notice kind="info">Older events with this id are not shown.</Notice>}
        </>
      ),
    };
  }
}

/** What to tell whoever sent the request. */
function ForPartner({ code }: { code: string }): VNode | null {
  if (!isErrorCode(code)) return null;
  const { title, meaning, advice } = guidanceOn(code);
  return (
    <>
      <h3>What to tell the partner</h3>
      <p>
        <Prose text={`${title} ${meaning}`.trim()} />
      </p>
      <p>
        <Prose text={advice} /> More is at <code>{`/docs/errors/${code}`}</code> of the API.
      </p>
    </>
  );
}

/** Code and links of the API's documentation; the links only as their words, since they lead to the API. */
const Prose = ({ text }: { text: string }): VNode => (
  <>
    {text
      .split(/(`[^`]*`|\[[^\]]*\]\([^)]*\))/)
      .map((part) =>
        part.startsWith('`') ? <code>{part.slice(1, -1)}</code> : part.replace(/^\[([^\]]*)\].*$/, '$1'),
      )}
  </>
);

const requestsPage = (reason?: string, faults?: Faults): Answer => ({
  title: 'Requests',
  status: reason === undefined ? 200 : faults === undefined ? 404 : 400,
  ...(faults !== undefined && { faults }),
  page: (
    <>
      <Refusal reason={reason} />
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
