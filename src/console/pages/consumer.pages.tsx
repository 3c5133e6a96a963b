import { Injectable } from '@nestjs/common';
import { isUuid } from '../../platform/values/uuid';
import { ConsumerAccess } from '../../consumers/administration/consumer-access.service';
import { ConsumerErasure } from '../../consumers/administration/consumer-erasure.service';
import { ConsumerError, ConsumerFinder } from '../../consumers/administration/consumer-finder';
import { ConsumerRecords } from '../../consumers/administration/consumer-records.service';
import { SubscriberError } from '../../events/subscribers/subscriber.error';
import { SubscribersService } from '../../events/subscribers/subscribers.service';
import type { Role } from '../../operators/role';
import { type Answer, type ConsoleRequest, type Handlers, NotFoundError, redirect } from '../http/exchange';
import { RefusedError, unlessRefused } from '../http/refusal';
import type { Route } from '../routes';
import { Field, Form, Refusal } from '../view/form';
import { Notice } from '../view/parts';
import { type ActWithReason, ConsumerView, reasonField } from './consumer.parts';
import { ErasureView } from './consumer-rights.parts';
import { Looks } from '../looks.service';

type Routes = Extract<Route, `${string} /consumers${string}`>;

const MAX_REASON_LENGTH = 500;
const SHOWN_EVENTS = 50;

/** Consumers, one at a time: there is no list of them. */
@Injectable()
export class ConsumerPages {
  readonly handlers: Handlers<Routes> = {
    'GET /consumers': () => searchPage(),
    'POST /consumers': (request) => this.search(request),
    'GET /consumers/:customerId': (request) => this.show(request),
    'POST /consumers/:customerId/reveal': (request) =>
      this.unlessRefused(request, async (customerId) => {
        const reason = reasonIn(request, 'reveal');
        await this.looks.record(request.origin, {
          type: 'consumer.revealed',
          consumerId: customerId,
          details: { reason },
        });
        return this.show(request, { isRevealed: true });
      }),
    'POST /consumers/:customerId/end-session': (request) =>
      this.changing(request, (customerId, { form: { session = '' }, origin }) =>
        this.access.endSession(customerId, session, origin),
      ),
    'POST /consumers/:customerId/end-sessions': (request) =>
      this.changing(request, (customerId, { origin }) => this.access.revokeSessions(customerId, origin)),
    'POST /consumers/:customerId/disable': (request) =>
      this.changing(request, (customerId, { origin }) =>
        this.access.disable(customerId, reasonIn(request, 'disable'), origin),
      ),
    'POST /consumers/:customerId/enable': (request) =>
      this.changing(request, (customerId, { origin }) =>
        this.access.enable(customerId, reasonIn(request, 'enable'), origin),
      ),
    'POST /consumers/:customerId/send-recovery': (request) =>
      this.changing(request, (customerId, { origin }) =>
        this.access.adviseRecovery(customerId, reasonIn(request, 'send-recovery'), origin),
      ),
    'POST /consumers/:customerId/export': (request) =>
      this.unlessRefused(request, async (customerId) => {
        const record = await this.records.export(customerId, request.origin);
        return { download: `consumer-${customerId}.json`, content: JSON.stringify(record, null, 2) };
      }),
    'POST /consumers/:customerId/erase': (request) =>
      this.unlessRefused(request, async (customerId) => {
        if (request.form.confirmation?.trim() !== customerId) {
          const fault = 'Nothing was erased: type the customer id to confirm';
          throw new RefusedError(fault, { confirmation: fault });
        }
        const { erased } = await this.erasure.erase(customerId, request.origin);
        return {
          title: 'Erased',
          page: (
            <section>
              <Notice kind="done">
                Consumer {customerId} has been erased. <a href={`/consumers/${customerId}`}>Who knows of it</a>
              </Notice>
              <pre>
                <code>{JSON.stringify(erased, null, 2)}</code>
              </pre>
            </section>
          ),
        };
      }),
  };

  constructor(
    private readonly finder: ConsumerFinder,
    private readonly records: ConsumerRecords,
    private readonly access: ConsumerAccess,
    private readonly erasure: ConsumerErasure,
    private readonly subscribers: SubscribersService,
    private readonly looks: Looks,
  ) {}

  private async search({ form: { search = '' }, origin }: ConsoleRequest): Promise<Answer> {
    const found = await unlessUnknown(() => this.finder.find(search));
    const consumerId = found === null ? {} : { consumerId: found };
    await this.looks.record(origin, { type: 'consumer.searched', ...consumerId, details: { found: found !== null } });
    return found === null
      ? searchPage(
          'No consumer has this customer id, e-mail address or phone number. A new address of a consumer counts once it is confirmed.',
          search,
        )
      : redirect(`/consumers/${found}`);
  }

  private async show(
    request: ConsoleRequest,
    { reason, isRevealed = false }: { reason?: string; isRevealed?: boolean } = {},
  ): Promise<Answer> {
    const { origin, operator, form } = request;
    const consumerId = idIn(request);
    const record = await unlessUnknown(() => this.records.show(consumerId, { events: SHOWN_EVENTS }));
    if (!record) return this.showErasure(consumerId, operator.role);
    await this.looks.record(origin, { type: 'consumer.viewed', consumerId, details: {} });
    return {
      title: 'Consumer',
      status: reason === undefined ? 200 : 400,
      page: (
        <>
          <Refusal reason={reason} />
          <ConsumerView
            record={record}
            isRevealed={isRevealed}
            role={operator.role}
            typed={reason === undefined ? {} : form}
          />
        </>
      ),
    };
  }

  /** What is left to see of an erased consumer. */
  private async showErasure(consumerId: string, role: Role): Promise<Answer> {
    const proof = await this.subscribers.proofOfErasure(consumerId).catch((error: unknown) => {
      throw error instanceof SubscriberError ? new NotFoundError() : error;
    });
    return { title: 'Erased consumer', page: <ErasureView proof={proof} role={role} /> };
  }

  private changing(
    request: ConsoleRequest,
    change: (customerId: string, request: ConsoleRequest) => Promise<unknown>,
  ): Promise<Answer> {
    return this.unlessRefused(request, async (customerId) => {
      await change(customerId, request);
      return redirect(`/consumers/${customerId}`);
    });
  }

  private unlessRefused(request: ConsoleRequest, act: (customerId: string) => Promise<Answer>): Promise<Answer> {
    return unlessRefused(
      () => act(idIn(request)),
      (reason) => this.show(request, { reason }),
    );
  }
}

function idIn({ params: { customerId = '' } }: ConsoleRequest): string {
  if (!isUuid(customerId)) throw new NotFoundError();
  return customerId;
}

function reasonIn({ form }: ConsoleRequest, act: ActWithReason): string {
  const reason = (form.reason ?? '').trim();
  if (reason !== '' && reason.length <= MAX_REASON_LENGTH) return reason;
  const fault = `Reason must say why, in at most ${MAX_REASON_LENGTH} characters`;
  throw new RefusedError(fault, { [reasonField(act)]: fault });
}

async function unlessUnknown<T>(find: () => Promise<T>): Promise<T | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ConsumerError) return null;
    throw error;
  }
}

const searchPage = (reason?: string, typed?: string): Answer => ({
  title: 'Consumers',
  status: reason === undefined ? 200 : 404,
  page: (
    <>
      <Refusal reason={reason} />
      <section>
        <p>Search for one consumer. The search is exact, and the audit trail records it.</p>
        <Form action="/consumers" button="Search">
          <Field
            label="E-mail, phone or customer id"
            name="search"
            value={typed}
            hint="A phone number with its +"
            required
            maxLength={254}
          />
        </Form>
      </section>
    </>
  ),
});
