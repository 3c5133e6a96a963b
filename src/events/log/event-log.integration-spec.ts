import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { newId } from '../../platform/random';
import { MovableClock } from '../../../test/support/in-process/movable-clock';
import { TestApp } from '../../../test/support/in-process/test-app';
import { EventLog } from './event-log';
import { EventPartitions } from './event-partitions';
import { EventRetention } from './event-retention';
import { EVENT_TYPES, type Fact } from './event-types';
import { MonthlyPartitions } from '../../platform/database/monthly-partitions';
import { EventRepository } from './event.repository';
import { Sequencer } from './sequencer';

const DAY = 86_400;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const WRITERS = 20;
const ACTS = 10;
const EVERYTHING = { types: EVENT_TYPES, touchpoints: [] };

describe('the log of events', () => {
  const clock = new MovableClock();
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.start({ clock });
  });
  afterEach(() => app.close());

  const disabled = (consumerId: string): Fact => ({ type: 'consumer.disabled', consumerId, data: {} });
  const tell = (...facts: Fact[]) =>
    app.dataSource.transaction((manager) => app.nest.get(EventLog).tell(manager, SERVICE_ORIGIN, ...facts));
  const catchUp = () => app.nest.get(Sequencer).catchUp();
  const read = async (after = 0n) => {
    const { position: upTo } = await catchUp();
    return app.nest.get(EventRepository).findEvents(EVERYTHING, { after, upTo }, 10_000);
  };
  const months = async () => {
    const partitions = new MonthlyPartitions(app.dataSource, { name: 'event', column: 'numbered_at' });
    return (await partitions.find()).map(({ name }) => name);
  };
  const versions = async (consumerId: string) =>
    (await read()).filter((event) => event.consumerId === consumerId).map(({ consumerVersion }) => consumerVersion);

  it('numbers what was committed without gaps, and counts the events of each consumer', async () => {
    const [ada, grace] = [newId(), newId()];
    await tell(disabled(ada), disabled(grace), disabled(ada));
    await tell(disabled(ada));
    const events = await read();
    expect(events.map(({ position, consumerId, consumerVersion }) => [position, consumerId, consumerVersion])).toEqual([
      ['1', ada, '1'],
      ['2', grace, '1'],
      ['3', ada, '2'],
      ['4', ada, '3'],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    for (const { id } of events) expect(id).toMatch(UUID_V7);
  });

  it('holds nothing of what was rolled back', async () => {
    const consumerId = newId();
    const failing = app.dataSource.transaction(async (manager) => {
      await app.nest.get(EventLog).tell(manager, SERVICE_ORIGIN, disabled(consumerId));
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await tell(disabled(consumerId));
    expect((await read()).map(({ position }) => position)).toEqual(['1']);
  });

  it('puts nothing behind a reader while many write, wait and fail, and many number', async () => {
    const replica = await TestApp.start({ replicaOf: app, clock });
    const consumers = Array.from({ length: 4 }, newId);
    const committed: string[] = [];
    let writing = WRITERS;
    const write = async (writer: number) => {
      for (let act = 0; act < ACTS; act += 1) {
        const { dataSource, nest } = writer % 2 === 0 ? app : replica;
        const consumerId = consumers[(writer + act) % consumers.length] ?? '';
        const data = { changed: [`${writer}-${act}`] };
        const done = dataSource.transaction(async (manager) => {
          await nest.get(EventLog).tell(manager, SERVICE_ORIGIN, { type: 'consumer.updated', consumerId, data });
          await sleep((writer * 7 + act * 3) % 10);
          if ((writer + act) % 3 === 0) throw new Error('rolled back');
        });
        await done.then(() => committed.push(data.changed[0] ?? '')).catch(() => undefined);
      }
      writing -= 1;
    };
    const seen: { consumerId: string; consumerVersion: string; act: string }[] = [];
    let cursor = 0n;
    const poll = async (from: TestApp) => {
      const { position: upTo } = await from.nest.get(Sequencer).catchUp();
      const page = await from.nest.get(EventRepository).findEvents(EVERYTHING, { after: cursor, upTo }, 7);
      for (const { consumerId, consumerVersion, data } of page) {
        seen.push({ consumerId, consumerVersion, act: (data as { changed: string[] }).changed[0] ?? '' });
      }
      cursor = BigInt(page.at(-1)?.position ?? cursor);
      return page.length;
    };
    const reading = (async () => {
      for (let found = 1; writing > 0 || found > 0;) {
        const [count] = await Promise.all([poll(app), replica.nest.get(Sequencer).catchUp()]);
        found = count;
      }
    })();
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    await reading;
    expect(seen.map(({ act }) => act).sort()).toEqual(committed.sort());
    for (const consumerId of consumers) {
      const own = seen.filter((event) => event.consumerId === consumerId).map((event) => event.consumerVersion);
      expect(own).toEqual(own.map((_, index) => String(index + 1)));
    }
    await replica.close();
  });

  it('is numbered although nobody reads it, and forgets by the month what is too old', async () => {
    const early = newId();
    await tell(disabled(early));
    const retention = app.nest.get(EventRetention);
    await retention.tidy();
    expect(await app.dataSource.query('SELECT count(*)::int AS count FROM event_pending')).toEqual([{ count: 0 }]);
    const before = await months();

    clock.advance({ seconds: 31 * DAY });
    await tell(disabled(early));
    await retention.tidy();
    expect(await catchUp()).toMatchObject({ position: 2n, floor: 1n });

    clock.advance({ seconds: 62 * DAY });
    await retention.tidy();
    expect(await catchUp()).toMatchObject({ position: 2n, floor: 2n });
    expect((await months())[0]?.localeCompare(before[0] ?? '')).toBe(1);
    await tell(disabled(early));
    expect(await versions(early)).toContain('3');
  });

  it('can write after a month for which it has no partition yet', async () => {
    await app.nest.get(EventPartitions).prepare(clock.now());
    clock.advance({ seconds: 200 * DAY });
    const consumerId = newId();
    await tell(disabled(consumerId));
    expect(await versions(consumerId)).toEqual(['1']);
  });
});
