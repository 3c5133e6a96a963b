import { Injectable } from '@nestjs/common';
import { JwtKeyRotation } from '../../auth/keys/jwt-key-rotation';
import { MessageAdministration } from '../../messages/message-administration';
import { MessageList } from '../../messages/message-list';
import { MessageRepository } from '../../messages/queue/message.repository';
import { RedisConnection } from '../../platform/redis';
import { TouchpointsService } from '../../touchpoints/administration/touchpoints.service';
import { maskedDestination } from '../../verification/channel';
import { type Answer, type ConsoleRequest, type Handlers, redirect } from '../http/exchange';
import { unlessRefused } from '../http/refusal';
import { mayUse } from '../routes';
import { Facts, Form, Notice, State, Table, Text, Time } from '../view/parts';
import { Looks } from './looks';

/** How the service is, its queue and its keys. */
@Injectable()
export class OverviewPages {
  readonly handlers: Handlers<
    'GET /' | 'GET /messages' | 'POST /messages/retry' | 'POST /messages/drop' | 'GET /keys'
  > = {
    'GET /': (request) => this.overview(request),
    'GET /messages': (request) => this.messages(request),
    'POST /messages/retry': (request) => this.changing(request, 'retry'),
    'POST /messages/drop': (request) => this.changing(request, 'drop'),
    'GET /keys': () => this.keys(),
  };

  constructor(
    private readonly touchpoints: TouchpointsService,
    private readonly queue: MessageRepository,
    private readonly list: MessageList,
    private readonly administration: MessageAdministration,
    private readonly rotation: JwtKeyRotation,
    private readonly redis: RedisConnection,
    private readonly looks: Looks,
  ) {}

  private async overview({ operator }: ConsoleRequest): Promise<Answer> {
    const waiting = await this.queue.countWaiting();
    const seesTouchpoints = mayUse(operator.role, 'GET /touchpoints');
    const touchpoints = seesTouchpoints ? await this.touchpoints.list() : [];
    const ending = touchpoints.flatMap(({ code, keys }) =>
      keys.flatMap(({ hint, expiresAt, lastUsedAt }) => (expiresAt ? [{ code, hint, expiresAt, lastUsedAt }] : [])),
    );
    return {
      title: 'Overview',
      page: (
        <>
          <section>
            <h2>Health</h2>
            <Facts
              facts={[
                ['Database', <State good>answers</State>],
                [
                  'Redis',
                  this.redis.isAway ? (
                    <State good={false}>away: every replica counts limits alone</State>
                  ) : (
                    <State good>{this.redis.client ? 'answers' : 'not used'}</State>
                  ),
                ],
                ...waiting.map(({ channel, count, oldestSeconds }): [string, string] => [
                  `Messages waiting (${channel})`,
                  `${count}, the oldest for ${Math.round(oldestSeconds)} s`,
                ]),
                ...(waiting.length === 0 ? [['Messages waiting', 'none'] as [string, string]] : []),
              ]}
            />
          </section>
          {seesTouchpoints && (
            <section>
              <h2>Touchpoint keys that end</h2>
              <Table
                caption="Old keys of a rotation, until their overlap ends"
                heads={['Touchpoint', 'Key', 'Ends', 'Last used']}
                rows={ending.map(({ code, hint, expiresAt, lastUsedAt }) => [
                  <a href={`/touchpoints/${code}`}>{code}</a>,
                  <code>…{hint}</code>,
                  <Time at={expiresAt} />,
                  <Time at={lastUsedAt} />,
                ])}
                empty="No key is about to end."
              />
            </section>
          )}
        </>
      ),
    };
  }

  private changing(request: ConsoleRequest, act: 'retry' | 'drop'): Promise<Answer> {
    return unlessRefused(
      async () => {
        await this.administration[act](request.form.message ?? '', request.origin);
        return redirect('/messages');
      },
      (reason) => this.messages(request, reason),
    );
  }

  private async messages({ origin }: ConsoleRequest, refusal?: string): Promise<Answer> {
    await this.looks.record(origin, { type: 'page.viewed', details: { path: '/messages' } });
    const messages = (await this.list.list()).filter(({ state }) => state !== 'delivered');
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
              <MessageActs id={message.id} state={message.state} />,
            ])}
            empty="Every message has been handed over."
          />
        </section>
      ),
    };
  }

  private async keys(): Promise<Answer> {
    const keys = await this.rotation.list();
    return {
      title: 'Keys',
      page: (
        <section>
          <Table
            caption="The keys that sign customer tokens"
            heads={['Key', 'State', 'Signs from', 'Needed until']}
            rows={keys.map(({ kid, state, signsFrom, neededUntil }) => [
              <code>{kid}</code>,
              state,
              <Time at={signsFrom} />,
              <Time at={neededUntil} />,
            ])}
            empty="There is no key yet: the service makes one when it starts."
          />
          <Notice kind="info">
            A new key is made on the server, where the file with the private keys is:{' '}
            <code>npm run --silent cli -- keys generate</code>
          </Notice>
        </section>
      ),
    };
  }
}

const MessageActs = ({ id, state }: { id: string; state: string }) => (
  <>
    {(state === 'retrying' || state === 'failed') && (
      <Form action="/messages/retry" button="Retry" inline>
        <input type="hidden" name="message" value={id} />
      </Form>
    )}{' '}
    {state !== 'sending' && (
      <Form action="/messages/drop" button="Drop" danger inline>
        <input type="hidden" name="message" value={id} />
      </Form>
    )}
  </>
);
