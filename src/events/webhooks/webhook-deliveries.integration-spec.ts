import { WebhookReceiver } from '../../../test/support/events/webhook-receiver';
import { TestApp } from '../../../test/support/in-process/test-app';
import { until } from '../../../test/support/until';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { newId } from '../../platform/random';
import { EventLog } from '../log/event-log';
import { EventRepository } from '../log/event.repository';
import type { EventType } from '../log/event-types';
import { SubscribersService } from '../subscribers/subscribers.service';
import { WebhookAdministration } from './webhook-administration';
import { WebhookFailure, WebhookSender } from './webhook-sender';

const BACKLOG = 25_000;
/** More would risk the deadline of a statement. */
const MOST_POSITIONS = 10_000n;

interface State {
  acknowledged: string;
  failures: number;
  reason: string | null;
}

describe('the deliveries to a webhook', () => {
  let app: TestApp;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    app = await TestApp.start();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    receiver.close();
    await app.close();
  });

  const subscribe = async (...types: EventType[]) => {
    const settings = { types, touchpoints: [], readsConsumers: false };
    await app.nest.get(SubscribersService).create('crm', settings, { fromStart: true }, SERVICE_ORIGIN);
    await app.nest.get(WebhookAdministration).set('crm', receiver.url, SERVICE_ORIGIN);
  };
  const tellOfErasure = async (): Promise<string> => {
    const consumerId = newId();
    const fact = { type: 'consumer.erased', consumerId, data: {} } as const;
    await app.dataSource.transaction((manager) => app.nest.get(EventLog).tell(manager, SERVICE_ORIGIN, fact));
    return consumerId;
  };
  const state = async (): Promise<State> => {
    const { subscriber } = await app.nest.get(SubscribersService).get('crm');
    const { acknowledged, webhook } = subscriber;
    return { acknowledged, failures: webhook?.failures ?? 0, reason: webhook?.reason ?? null };
  };

  it('find the one event among many that are not for the subscriber by short statements', async () => {
    await app.dataSource.query(
      `INSERT INTO event (position, numbered_at, id, type, occurred_at, consumer_id, consumer_version, data)
        SELECT position, now(), gen_random_uuid(), 'consumer.updated', now(), gen_random_uuid(), 1, '{}'
        FROM generate_series(1, ${BACKLOG}) AS position`,
    );
    await app.dataSource.query(`UPDATE event_head SET position = ${BACKLOG}, numbered_at = now()`);
    const reads = jest.spyOn(app.nest.get(EventRepository), 'findEvents');
    const consumerId = await tellOfErasure();
    await subscribe('consumer.erased');
    await until(async () => (await state()).acknowledged === String(BACKLOG + 1));
    expect(receiver.received.map(({ event }) => event.subject)).toEqual([consumerId]);
    const longest = reads.mock.calls.filter(([, { after, upTo }]) => upTo - after > MOST_POSITIONS);
    expect(longest).toEqual([]);
  });

  it('fail rather than skip what is dropped while they read', async () => {
    const events = app.nest.get(EventRepository);
    await tellOfErasure();
    jest.spyOn(events, 'findEvents').mockImplementation(async (_, { upTo }) => {
      await events.raiseFloor(upTo);
      return [];
    });
    await subscribe();
    await until(async () => (await state()).failures === 1);
    expect(await state()).toMatchObject({
      acknowledged: '0',
      reason: expect.stringContaining('no longer kept') as string,
    });
  });

  it('say so, and blame nobody, while the log cannot be read', async () => {
    await tellOfErasure();
    jest.spyOn(app.nest.get(EventRepository), 'findEvents').mockRejectedValue(new Error('statement timeout'));
    await subscribe();
    await until(async () => (await state()).reason !== null);
    expect(await state()).toMatchObject({ failures: 0, reason: expect.stringContaining('its log says why') as string });
  });

  it.each([
    [1, 5],
    [2, 10],
    [12, 3_600],
  ])('wait after failure %i in a row for %i seconds', async (failures, seconds) => {
    const query = async <Row>(statement: string) => (await app.dataSource.query<Row[]>(statement))[0];
    const now = async () => (await query<{ now: Date }>('SELECT now()'))?.now.getTime() ?? 0;
    jest.spyOn(app.nest.get(WebhookSender), 'send').mockImplementation(async () => {
      // So that no other attempt follows before this one has been looked at.
      await query('UPDATE subscriber SET enabled = false');
      throw new WebhookFailure('HTTP 500');
    });
    await subscribe();
    await query(`UPDATE webhook SET failures = ${failures - 1}`);
    const earliest = await now();
    await tellOfErasure();
    await until(async () => (await state()).failures === failures);
    const due = (await query<{ due: Date }>('SELECT due_at AS due FROM webhook'))?.due.getTime() ?? 0;
    expect(due).toBeGreaterThanOrEqual(earliest + seconds * 1_000);
    expect(due).toBeLessThanOrEqual((await now()) + seconds * 1_000);
  });
});
