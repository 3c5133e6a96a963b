import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { type ProblemBody, refusalOf } from '../../support/api/problems';
import { EVENTS, SubscriberClient, type SubscriberView } from '../../support/api/subscribers';
import { scrape, valueOf } from '../../support/service/metrics';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const ACK = `${EVENTS}/ack`;
const UNKNOWN_POSITION = '999999999999';

describe('the feed of events', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    // Of its own: a subscriber of another file who asks for sessions adds their events to the feed.
    app = await TestService.start({ metrics: true });
    client = await app.client();
  });
  afterAll(() => app.close());

  it('begins for a new subscriber with what comes, or with the oldest event', async () => {
    const { customerId } = await register(client);
    const late = await SubscriberClient.create(app);
    const whole = await SubscriberClient.create(app, '--from-start');
    expect((await late.read()).events).toEqual([]);
    expect((await whole.readAll()).map(({ subject }) => subject)).toContain(customerId);
    const { customerId: next } = await register(client);
    expect((await late.read()).events.map(({ subject }) => subject)).toEqual([next]);
  });

  it('tells an event in the form of CloudEvents', async () => {
    const subscriber = await SubscriberClient.create(app);
    const { customerId } = await register(client);
    const { events } = await subscriber.read();
    expect(events).toEqual([
      {
        specversion: '1.0',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        source: 'consumer-service',
        type: 'consumer.registered',
        time: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
        subject: customerId,
        datacontenttype: 'application/json',
        data: { touchpoint: client.headers['X-Touchpoint-Code'], by: 'registration' },
        position: expect.stringMatching(/^\d+$/) as string,
        consumerversion: '1',
      },
    ]);
  });

  it('comes in pages, which go on without a gap where the last one has ended', async () => {
    const subscriber = await SubscriberClient.create(app);
    const registered: string[] = [];
    for (let count = 0; count < 5; count += 1) registered.push((await register(client)).customerId);
    const seen: string[] = [];
    let { events, nextAfter } = await subscriber.read({ limit: 2 });
    while (events.length > 0) {
      seen.push(...events.map(({ subject }) => subject));
      expect(events.at(-1)?.position).toBe(nextAfter);
      ({ events, nextAfter } = await subscriber.read({ limit: 2, after: nextAfter }));
    }
    expect(seen).toEqual(registered);
    expect(await subscriber.read({ after: nextAfter })).toEqual({ events: [], nextAfter });
  });

  it('goes on behind what was acknowledged, never further back', async () => {
    const subscriber = await SubscriberClient.create(app);
    await register(client);
    const first = await subscriber.read();
    await register(client);
    expect((await subscriber.read()).events).toHaveLength(2);
    await subscriber.acknowledge(first.nextAfter);
    expect((await subscriber.read()).events).toHaveLength(1);
    await subscriber.acknowledge('0');
    expect((await subscriber.read()).events).toHaveLength(1);
  });

  it('holds only the types that are asked for, and still goes forward', async () => {
    const subscriber = await SubscriberClient.create(app);
    const { token } = await register(client);
    await client.as(token).patch('/api/v1/me', { locale: 'de' });
    const { events, nextAfter } = await subscriber.read({ types: 'consumer.updated,consumer.erased' });
    expect(events.map(({ type }) => type)).toEqual(['consumer.updated']);
    expect(nextAfter).toBe(events[0]?.position);
    await register(client);
    const none = await subscriber.read({ types: 'consumer.erased', after: nextAfter });
    expect([none.events, Number(none.nextAfter)]).toEqual([[], Number(nextAfter) + 1]);
  });

  it('waits for an event if it is told to, and answers with the first that comes', async () => {
    const subscriber = await SubscriberClient.create(app);
    const replica = await TestService.start({ replicaOf: app });
    const waiting = subscriber.read({ wait: 25 });
    const { customerId } = await register(client.at(replica.baseUrl));
    expect((await waiting).events.map(({ subject }) => subject)).toEqual([customerId]);
    const { nextAfter } = await subscriber.read();
    expect(await subscriber.read({ wait: 1, after: nextAfter })).toEqual({ events: [], nextAfter });
    await replica.close();
  });

  it('ends a wait when the service stops, without losing the cursor', async () => {
    const replica = await TestService.start({ replicaOf: app });
    const subscriber = await SubscriberClient.create(app);
    const { nextAfter } = await subscriber.read();
    const elsewhere = new SubscriberClient(subscriber.code, subscriber.api.at(replica.baseUrl));
    const waiting = elsewhere.read({ wait: 25, after: nextAfter });
    await elsewhere.read({ after: nextAfter });
    await replica.close();
    expect(await waiting).toEqual({ events: [], nextAfter });
  });

  it('is measured by how far each subscriber is behind', async () => {
    const subscriber = await SubscriberClient.create(app);
    await register(client);
    const { nextAfter } = await subscriber.read();
    const lag = async (name: string) => {
      const { samples } = await scrape(app.metricsAddress);
      return valueOf(samples, `consumer_service_subscriber_lag_${name}`, { subscriber: subscriber.code });
    };
    await until(async () => (await lag('events')) === 1);
    expect(await lag('seconds')).toBeGreaterThan(0);
    await subscriber.acknowledge(nextAfter);
    await until(async () => (await lag('events')) === 0);
    expect(await lag('seconds')).toBe(0);
  });

  it('is not behind for events of others, only for what it has not acknowledged', async () => {
    const subscriber = await SubscriberClient.create(app, '--types', 'consumer.updated');
    const other = await SubscriberClient.create(app);
    const behind = async () => {
      // Whoever reads numbers what is new.
      await other.read();
      return (await app.administer<SubscriberView>('subscriber', 'show', subscriber.code)).behind;
    };
    const { token } = await register(client);
    expect(await behind()).toBe(1);
    const { nextAfter: begin } = await subscriber.read();
    expect(await behind()).toBe(0);

    await client.as(token).patch('/api/v1/me', { locale: 'de' });
    await register(client);
    const { events, nextAfter } = await subscriber.read({ after: begin });
    await register(client);
    await subscriber.read({ after: nextAfter });
    expect(await behind()).toBe(3);
    await subscriber.acknowledge(events[0]?.position ?? '');
    expect(await behind()).toBe(2);
    await subscriber.read({ after: nextAfter });
    expect(await behind()).toBe(0);
  });

  it('is closed to everybody but subscribers, and never says why', async () => {
    const subscriber = await SubscriberClient.create(app);
    const key = subscriber.api.headers['X-Subscriber-Key'] ?? '';
    const other = await SubscriberClient.create(app);
    const { api } = subscriber;
    const strangers = [
      client,
      api.with({ 'X-Subscriber-Key': '' }),
      api.with({ 'X-Subscriber-Key': `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` }),
      api.with({ 'X-Subscriber-Key': other.api.headers['X-Subscriber-Key'] ?? '' }),
      api.with({ 'X-Subscriber-Code': 'nobody' }),
      api.with({ 'X-Subscriber-Code': 'No Code' }),
    ];
    for (const stranger of strangers) {
      for (const path of [EVENTS, `${EVENTS}?limit=0`, '/integration/v1/consumers/x', '/integration/v1/nothing']) {
        const answer = await stranger.get<ProblemBody>(path);
        expect([path, ...refusalOf(answer)]).toEqual([path, 401, 'SUBSCRIBER_UNAUTHORIZED']);
        expect(answer.headers.get('www-authenticate')).toBe('Subscriber realm="integration"');
      }
    }
    // Their credential opens nothing else.
    expect(refusalOf(await api.get<ProblemBody>('/api/v1/me'))).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
    expect(refusalOf(await api.get<ProblemBody>('/integration/v1/nothing'))).toEqual([404, 'NOT_FOUND']);
    const wrongMethod = await api.post<ProblemBody>(EVENTS, {});
    expect([...refusalOf(wrongMethod), wrongMethod.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD',
    ]);
  });

  it.each([
    ['limit=0', 'limit', 'INVALID_VALUE'],
    ['limit=1001', 'limit', 'INVALID_VALUE'],
    ['limit=ten', 'limit', 'INVALID_VALUE'],
    ['limit=1&limit=2', 'limit', 'INVALID_FORMAT'],
    ['wait=26', 'wait', 'INVALID_VALUE'],
    ['wait=-1', 'wait', 'INVALID_VALUE'],
    ['after=x', 'after', 'INVALID_FORMAT'],
    ['after=-1', 'after', 'INVALID_FORMAT'],
    [`after=${UNKNOWN_POSITION}`, 'after', 'INVALID_VALUE'],
    ['types=consumer.born', 'types', 'INVALID_VALUE'],
    ['types=session.started', 'types', 'INVALID_VALUE'],
  ])('refuses %s', async (query, field, code) => {
    const { api } = await SubscriberClient.create(app);
    const { status, body } = await api.get(`${EVENTS}?${query}`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ field, code })]]);
  });

  it('takes no acknowledgement of what was never handed out', async () => {
    const { api } = await SubscriberClient.create(app);
    for (const position of [UNKNOWN_POSITION, 'x', 7, null]) {
      expect(refusalOf(await api.post<ProblemBody>(ACK, { position }))).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  it('is limited as touchpoints are', async () => {
    const limited = await TestService.start({
      replicaOf: app,
      env: { RATE_LIMIT_SUSTAINED: '2', REDIS_URL: '' },
    });
    const { api } = await SubscriberClient.create(app);
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await api.at(limited.baseUrl).get(EVENTS));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.headers.get('ratelimit')).toMatch(/^"sustained";r=1;t=\d+$/);
    await limited.close();
  });
});
