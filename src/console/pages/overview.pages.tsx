import { Injectable } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { ActivityCounter } from '../../audit/activity/activity-counter';
import { MessageList, type MessageQueueState } from '../../messages/message-list';
import { Clock } from '../../platform/clock';
import { RedisConnection } from '../../platform/redis/redis';
import { TouchpointsService } from '../../touchpoints/administration/touchpoints.service';
import type { Answer, ConsoleRequest, Handlers } from '../http/exchange';
import { mayUse } from '../routes';
import { Facts, State, Table, Time } from '../view/parts';
import { ActivityView, SHOWN_HOURS } from './activity.parts';

/** As in the alert MessagesLate: one address that cannot be reached is no failure of a channel. */
const LONG_WAIT_SECONDS = 300;
const FEW_WAITING = 10;
const SHOWN_KEYS = 100;

/** How the service is. */
@Injectable()
export class OverviewPages {
  readonly handlers: Handlers<'GET /'> = { 'GET /': (request) => this.overview(request) };

  constructor(
    private readonly touchpoints: TouchpointsService,
    private readonly messages: MessageList,
    private readonly redis: RedisConnection,
    private readonly activity: ActivityCounter,
    private readonly clock: Clock,
  ) {}

  private async overview({ operator }: ConsoleRequest): Promise<Answer> {
    const queue = await this.messages.queueState();
    const counts = await this.activity.recent(SHOWN_HOURS);
    const seesTouchpoints = mayUse(operator.role, 'GET /touchpoints');
    const ending = seesTouchpoints ? await this.touchpoints.endingKeys(SHOWN_KEYS + 1) : [];
    return {
      title: 'Overview',
      page: (
        <>
          <section>
            <h2>Health</h2>
            <Facts
              facts={[
                ['State', this.state(queue)],
                ['Database', DATABASE],
                ['Redis', this.redisState()],
              ]}
            />
            <p class="quiet">
              As the process of the console sees it. Each replica of the API answers for itself at{' '}
              <code>/health/ready</code>.
            </p>
          </section>
          <section>
            <h2>Message queue</h2>
            <Facts facts={queueFacts(queue)} />
            {mayUse(operator.role, 'GET /messages') && (
              <p>
                <a href="/messages">To the messages</a>
              </p>
            )}
          </section>
          <ActivityView counts={counts} nowMs={this.clock.epochMs()} />
          {seesTouchpoints && (
            <section>
              <h2>Touchpoint keys that end</h2>
              <Table
                caption="Old keys of a rotation, until their overlap ends"
                heads={['Touchpoint', 'Key', 'Ends', 'Last used']}
                rows={ending
                  .slice(0, SHOWN_KEYS)
                  .map(({ code, hint, expiresAt, lastUsedAt }) => [
                    <a href={`/touchpoints/${code}`}>{code}</a>,
                    <code>…{hint}</code>,
                    <Time at={expiresAt} />,
                    <Time at={lastUsedAt} />,
                  ])}
                empty="No key is about to end."
              />
              {ending.length > SHOWN_KEYS && <p class="quiet">The next {SHOWN_KEYS} are shown.</p>}
            </section>
          )}
        </>
      ),
    };
  }

  private state({ waiting }: MessageQueueState): ComponentChildren {
    const reasons = [
      ...(this.redis.isAway ? ['Redis is away'] : []),
      ...waiting
        .filter(({ oldestSeconds, count }) => oldestSeconds > LONG_WAIT_SECONDS && count > FEW_WAITING)
        .map(({ channel, oldestSeconds }) => `${channel} messages wait for ${Math.floor(oldestSeconds / 60)} minutes`),
    ];
    return reasons.length === 0 ? (
      <State good>ready</State>
    ) : (
      <State good={false}>{`degraded: ${reasons.join(', ')}`}</State>
    );
  }

  private redisState(): ComponentChildren {
    if (this.redis.isAway) return <State good={false}>away: every replica counts limits alone</State>;
    return this.redis.client ? <State good>answers</State> : <State good={null}>not used</State>;
  }
}

/** Every page first writes to the database that its session is used, so a page that is shown proves that it answers. */
const DATABASE = <State good>answers</State>;

function queueFacts({ waiting, retried, givenUp }: MessageQueueState): [name: string, value: ComponentChildren][] {
  const { count, isMore } = givenUp;
  return [
    ...(waiting.length === 0 ? [['Waiting', '0'] as [string, string]] : []),
    ...waiting.map((of): [string, string] => [
      `Waiting (${of.channel})`,
      `${of.count.toLocaleString('en')}, the oldest for ${Math.round(of.oldestSeconds)} s`,
    ]),
    ['Waiting for another attempt', retried.toLocaleString('en')],
    [
      'Given up in the last 30 days',
      <State good={count === 0}>
        {isMore ? `more than ${count.toLocaleString('en')}` : count.toLocaleString('en')}
      </State>,
    ],
  ];
}
