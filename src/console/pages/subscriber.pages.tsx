import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/settings/config';
import { CONSUMER_EVENT_TYPES } from '../../events/log/event-types';
import { SUBSCRIBER_CODE, SUBSCRIBER_CODE_RULE } from '../../events/subscribers/subscriber-credentials';
import { parseSubscriberSettings } from '../../events/subscribers/subscriber-settings';
import { subscriberView } from '../../events/subscribers/subscriber-view';
import { SubscribersService } from '../../events/subscribers/subscribers.service';
import { TouchpointError } from '../../touchpoints/administration/touchpoint.error';
import { type Answer, type ConsoleRequest, type Handlers, redirect } from '../http/exchange';
import { aboutField, checkFields, RefusedError, unlessRefused } from '../http/refusal';
import { mayUse, type Route } from '../routes';
import { Check, Field, Form, Refusal } from '../view/form';
import { Facts, State, Time } from '../view/parts';
import { apiAddress, KeyShown, KeyTable, overlapIn, Rotation } from './access-key.parts';

type Routes = Extract<Route, `${string} /subscribers${string}`>;
type IssuedKey = Awaited<ReturnType<SubscribersService['create']>>;
type View = ReturnType<typeof subscriberView>;

/** Other systems of the business, which read events. */
@Injectable()
export class SubscriberPages {
  readonly handlers: Handlers<Routes> = {
    'GET /subscribers': (request) => this.list(request),
    'POST /subscribers': (request) => this.create(request),
    'POST /subscribers/rotate-key': (request) => this.rotate(request),
    'POST /subscribers/disable': (request) => this.setEnabled(request, false),
    'POST /subscribers/enable': (request) => this.setEnabled(request, true),
  };

  constructor(
    private readonly subscribers: SubscribersService,
    private readonly config: AppConfig,
  ) {}

  private create(request: ConsoleRequest): Promise<Answer> {
    const { form, origin } = request;
    return unlessRefused(
      async () => {
        const { types, touchpoints, readConsumers } = form;
        checkFields({ code: () => codeIn(form), types: () => parseSubscriberSettings({ types }) });
        const settings = parseSubscriberSettings({ types, touchpoints, readConsumers: readConsumers !== undefined });
        if (settings.readsConsumers) requireSightOfConsumers(request);
        const fromStart = form.fromStart !== undefined;
        const issued = await aboutField(fieldRefused, () =>
          this.subscribers.create(codeIn(form), settings, { fromStart }, origin),
        );
        return this.keyPage(issued, 'The subscriber has been created');
      },
      (reason) => this.list(request, reason),
    );
  }

  private rotate(request: ConsoleRequest): Promise<Answer> {
    const { form, origin } = request;
    return unlessRefused(
      async () => {
        const code = form.subscriber ?? '';
        const seconds = overlapIn(form, `overlap-${code}`);
        const { subscriber } = await this.subscribers.get(code);
        if (subscriber.readsConsumers) requireSightOfConsumers(request);
        return this.keyPage(await this.subscribers.rotateKey(code, seconds, origin), 'The key has been rotated');
      },
      (reason) => this.list(request, reason),
    );
  }

  private setEnabled(request: ConsoleRequest, enabled: boolean): Promise<Answer> {
    return unlessRefused(
      async () => {
        await this.subscribers.setEnabled(request.form.subscriber ?? '', enabled, request.origin);
        return redirect('/subscribers');
      },
      (reason) => this.list(request, reason),
    );
  }

  private keyPage({ subscriber: { code }, key }: IssuedKey, done: string): Answer {
    return {
      title: code,
      page: (
        <KeyShown
          {...{ done, holder: 'Subscriber', code, apiKey: key, api: apiAddress(this.config) }}
          path="/integration/v1/events?limit=10"
          back={<a href="/subscribers">To the subscribers</a>}
        />
      ),
    };
  }

  private async list({ operator, form }: ConsoleRequest, reason?: string): Promise<Answer> {
    const subscribers = (await this.subscribers.list()).map(subscriberView);
    const mayChange = mayUse(operator.role, 'POST /subscribers');
    const seesConsumers = mayUse(operator.role, SIGHT_OF_CONSUMERS);
    return {
      title: 'Subscribers',
      status: reason === undefined ? 200 : 400,
      page: (
        <>
          <Refusal reason={reason} />
          {subscribers.length === 0 && (
            <section>
              <p class="empty">
                No other system reads events yet. A shop, a CRM or a warehouse gets a subscriber of its own.
              </p>
            </section>
          )}
          {subscribers.map((subscriber) => (
            <SubscriberView
              subscriber={subscriber}
              mayChange={mayChange}
              mayRotate={mayChange && (seesConsumers || !subscriber.readConsumers)}
            />
          ))}
          {mayChange && <NewSubscriber typed={form} seesConsumers={seesConsumers} />}
        </>
      ),
    };
  }
}

const fieldRefused = (refusal: unknown): string => (refusal instanceof TouchpointError ? 'touchpoints' : 'code');

function codeIn({ code: typed = '' }: Record<string, string>): string {
  const code = typed.trim();
  if (SUBSCRIBER_CODE.test(code)) return code;
  throw new RefusedError(SUBSCRIBER_CODE_RULE);
}

/** Who holds the key of a subscriber that reads profiles sees every consumer. */
const SIGHT_OF_CONSUMERS: Route = 'POST /consumers/:customerId/reveal';

function requireSightOfConsumers({ operator }: ConsoleRequest): void {
  if (mayUse(operator.role, SIGHT_OF_CONSUMERS)) return;
  throw new RefusedError(
    'Your role sees no consumers: an administrator makes the keys of subscribers that read profiles',
  );
}

interface SubscriberProps {
  subscriber: View;
  mayChange: boolean;
  mayRotate: boolean;
}

function SubscriberView({ subscriber, mayChange, mayRotate }: SubscriberProps) {
  const { code, enabled, types, touchpoints, readConsumers, keys, webhook } = subscriber;
  const { behind, acknowledged, acknowledgedAt, unseenErasures } = subscriber;
  return (
    <section>
      <h2>{code}</h2>
      <Facts
        facts={[
          ['State', <State good={enabled}>{enabled ? 'enabled' : 'disabled'}</State>],
          ['Types', [types].flat().join(', ')],
          ['Touchpoints', touchpoints?.join(', ') ?? 'all'],
          ['Reads profiles', readConsumers ? 'yes' : 'no'],
          ['Has read up to', `${acknowledged}, ${behind} behind the end`],
          ['Last acknowledged', <Time at={acknowledgedAt} />],
          ['Erasures not acknowledged', String(unseenErasures)],
          ['Webhook', webhook === null ? 'none: it reads events itself' : <WebhookState {...webhook} />],
        ]}
      />
      <KeyTable caption={`Keys of ${code} that work`} keys={keys} />
      {mayChange && (
        <>
          {mayRotate ? (
            <Rotation action="/subscribers/rotate-key" id={`overlap-${code}`}>
              <input type="hidden" name="subscriber" value={code} />
            </Rotation>
          ) : (
            <p>Its key reads profiles: an administrator rotates it.</p>
          )}
          {enabled ? (
            <Form
              action="/subscribers/disable"
              button="Disable"
              danger
              question="Disable this subscriber?"
              consequence="It is refused from its next request on. Once enabled again it continues where it was, unless those events are no longer kept."
            >
              <input type="hidden" name="subscriber" value={code} />
            </Form>
          ) : (
            <Form
              action="/subscribers/enable"
              button="Enable"
              consequence="It is accepted again with its present key, and continues where it was."
            >
              <input type="hidden" name="subscriber" value={code} />
            </Form>
          )}
        </>
      )}
    </section>
  );
}

function WebhookState({ url, failures, failingSince, reason, disabledAt }: NonNullable<View['webhook']>) {
  const isFailing = failures > 0;
  return (
    <>
      <State good={!isFailing}>{disabledAt === null ? (isFailing ? 'failing' : 'works') : 'given up'}</State> {url}
      {reason !== null && <>, {reason}</>}
      {isFailing && (
        <>
          {' '}
          since <Time at={failingSince} />
        </>
      )}
    </>
  );
}

const NewSubscriber = ({ typed, seesConsumers }: { typed: Record<string, string>; seesConsumers: boolean }) => (
  <section>
    <h2>Create a subscriber</h2>
    <Form action="/subscribers" button="Create subscriber">
      <Field
        label="Code"
        name="code"
        value={typed.code}
        hint="3 to 64 of a-z, 0-9 and -; cannot be changed later"
        required
      />
      <Field
        label="Types"
        name="types"
        value={typed.types}
        hint={`Empty for all of consumers; or some of ${CONSUMER_EVENT_TYPES.join(', ')}, session.started, session.ended`}
      />
      <Field
        label="Touchpoints"
        name="touchpoints"
        value={typed.touchpoints}
        hint="Empty for all, or such as shop,kiosk"
      />
      {seesConsumers && (
        <Check label="May read profiles" name="readConsumers" checked={typed.readConsumers !== undefined} />
      )}
      <Check
        label="Begins with the oldest event that is kept"
        name="fromStart"
        checked={typed.fromStart !== undefined}
      />
    </Form>
  </section>
);
