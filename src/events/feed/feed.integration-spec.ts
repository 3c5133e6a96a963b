import { SERVICE_ORIGIN } from '../../audit/origin';
import { ApiClient } from '../../../test/support/api/api-client';
import { register } from '../../../test/support/api/consumers';
import { EVENTS, type Feed } from '../../../test/support/api/subscribers';
import { MovableClock } from '../../../test/support/in-process/movable-clock';
import { TestApp } from '../../../test/support/in-process/test-app';
import { EventRepository } from '../log/event.repository';
import { EventRetention } from '../log/event-retention';
import { SubscribersService } from '../subscribers/subscribers.service';

const DAY = 86_400;
const SETTINGS = { types: [], touchpoints: [], readsConsumers: false };

describe('a cursor', () => {
  const clock = new MovableClock();
  let app: TestApp;
  let subscriber: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start({ clock, env: { EVENT_RETENTION_DAYS: '7' } });
    const subscribers = app.nest.get(SubscribersService);
    const { key } = await subscribers.create('crm', SETTINGS, { fromStart: false }, SERVICE_ORIGIN);
    subscriber = new ApiClient(app.baseUrl, { 'X-Subscriber-Code': 'crm', 'X-Subscriber-Key': key });
  });
  afterAll(() => app.close());

  const read = (after?: string) =>
    subscriber.get<Feed & { code: string; detail: string }>(after === undefined ? EVENTS : `${EVENTS}?after=${after}`);

  it('expires when events behind it are not kept any more, but never at the end', async () => {
    await register(await app.client());
    const { body: first } = await read();
    await register(await app.client());
    const { body: last } = await read(first.nextAfter);
    expect([first.nextAfter, last.nextAfter]).toEqual(['1', '2']);

    clock.advance({ seconds: 8 * DAY });
    await app.nest.get(EventRetention).tidy();
    const expired = await read(first.nextAfter);
    expect([expired.status, expired.body.code]).toEqual([410, 'CURSOR_EXPIRED']);
    expect(expired.body.detail).toContain('up to position 2');
    expect((await read()).status).toBe(410);
    expect((await read(last.nextAfter)).body).toEqual({ events: [], nextAfter: '2' });

    const { customerId } = await register(await app.client());
    expect((await read(last.nextAfter)).body.events.map(({ subject }) => subject)).toEqual([customerId]);
    const subscribers = app.nest.get(SubscribersService);
    await subscribers.rewind('crm', new Date(0), SERVICE_ORIGIN);
    expect((await read()).body.nextAfter).toBe('3');
  });

  it('expires rather than skip events that are dropped while it reads', async () => {
    const events = app.nest.get(EventRepository);
    const { position: after } = await events.readHead();
    await register(await app.client());
    jest.spyOn(events, 'findEvents').mockImplementationOnce(async (_, { upTo }) => {
      await events.raiseFloor(upTo);
      return [];
    });
    const expired = await read(String(after));
    expect([expired.status, expired.body.code]).toEqual([410, 'CURSOR_EXPIRED']);
  });
});
