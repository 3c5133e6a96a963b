import { Injectable } from '@nestjs/common';
import { MessageAdministration } from '../../messages/message-administration';
import { MessageList } from '../../messages/message-list';
import { isUuid } from '../../platform/values/uuid';
import { maskedDestination } from '../../verification/channel';
import { type Answer, type ConsoleRequest, type Handlers, NotFoundError, redirect } from '../http/exchange';
import { unlessRefused } from '../http/refusal';
import { Looks } from '../looks.service';
import { Form } from '../view/form';
import { Notice, State, Table, Text, Time } from '../view/parts';

const PAGE_MESSAGES = 100;

/** Messages that have not been handed over. */
@Injectable()
export class MessagePages {
  readonly handlers: Handlers<'GET /messages' | 'POST /messages/retry' | 'POST /messages/drop'> = {
    'GET /messages': (request) => this.messages(request),
    'POST /messages/retry': (request) => this.changing(request, 'retry'),
    'POST /messages/drop': (request) => this.changing(request, 'drop'),
  };

  constructor(
    private readonly list: MessageList,
    private readonly administration: MessageAdministration,
    private readonly looks: Looks,
  ) {}

  private changing(request: ConsoleRequest, act: 'retry' | 'drop'): Promise<Answer> {
    return unlessRefused(
      async () => {
        await this.administration[act](request.form.message ?? '', request.origin);
        const { after = '' } = request.form;
        return redirect(isUuid(after) ? `/messages?after=${after}` : '/messages');
      },
      (reason) => this.messages(request, reason),
    );
  }

  private async messages({ origin, query: { after = '' } }: ConsoleRequest, refusal?: string): Promise<Answer> {
    if (after !== '' && !isUuid(after)) throw new NotFoundError();
    await this.looks.record(origin, { type: 'page.viewed', details: { path: '/messages' } });
    const { messages, next } = await this.list.page({ after: after || undefined, limit: PAGE_MESSAGES });
    return {
      title: 'Messages',
      status: refusal === undefined ? 200 : 400,
      page: (
        <section>
          {refusal !== undefined && <Notice kind="error">{refusal}</Notice>}
          <Table
            caption="Not handed over yet, or given up; the oldest first"
            heads={['Since', 'Kind', 'Channel', 'To', 'State', 'Attempts', 'Why', 'Next attempt', '']}
            rows={messages.map((message) => [
              <Time at={message.createdAt} />,
              message.kind,
              message.channel,
              <Text value={message.to === null ? null : maskedDestination(message.channel, message.to)} />,
              <State good={message.state !== 'failed' && message.state !== 'expired'}>{message.state}</State>,
              message.attempts,
              <Text value={message.reason} />,
              <Time at={message.nextAttemptAt} />,
              <MessageActs id={message.id} state={message.state} after={after} />,
            ])}
            empty={EMPTY[next === null ? (after === '' ? 'all' : 'last') : 'page']}
          />
          {next !== null && (
            <p>
              <a href={`/messages?after=${next}`}>Newer messages</a>
            </p>
          )}
        </section>
      ),
    };
  }
}

/** A page may hold nothing but decoys, which are not shown. */
const EMPTY = {
  all: 'Every message has been handed over.',
  last: 'There are no newer messages.',
  page: 'There is none on this page.',
};

const MessageActs = ({ id, state, after }: { id: string; state: string; after: string }) => (
  <>
    {(state === 'retrying' || state === 'failed') && (
      <Form action="/messages/retry" button="Retry" inline>
        <input type="hidden" name="message" value={id} />
        <input type="hidden" name="after" value={after} />
      </Form>
    )}{' '}
    {state !== 'sending' && (
      <Form
        action="/messages/drop"
        button="Drop"
        danger
        question="Drop this message?"
        inline
        consequence="It is deleted, and never sent."
      >
        <input type="hidden" name="message" value={id} />
        <input type="hidden" name="after" value={after} />
      </Form>
    )}
  </>
);
