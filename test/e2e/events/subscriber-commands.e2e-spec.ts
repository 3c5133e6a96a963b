import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { EVENTS, SubscriberClient, type SubscriberView } from '../../support/api/subscribers';
import { TestService } from '../../support/service/test-service';

interface AuditEvent {
  type: string;
  actor: string;
  details: Record<string, unknown>;
}

interface ErasureProof {
  position: string;
  subscribers: { code: string; isTold: boolean; hasPassed: boolean; acknowledged: string }[];
}

describe('the commands for subscribers', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const show = ({ code }: SubscriberClient) => app.administer<SubscriberView>('subscriber', 'show', code);
  const statusOf = async ({ api }: SubscriberClient) => (await api.get(EVENTS)).status;
  const failing = async (...command: string[]) => {
    const { exitCode, stderr } = await app.cli('subscriber', ...command);
    expect(exitCode).toBe(1);
    return stderr.trim();
  };

  it('show the settings and how far a subscriber is, and the key only once', async () => {
    const touchpoint = client.headers['X-Touchpoint-Code'] ?? '';
    const options = ['--types', 'consumer.erased', '--touchpoints', touchpoint, '--read-consumers'];
    const subscriber = await SubscriberClient.create(app, ...options);
    const key = subscriber.api.headers['X-Subscriber-Key'] ?? '';
    expect(key).toMatch(/^sub_[A-Za-z0-9_-]{49}$/);
    const { acknowledged } = await show(subscriber);
    await register(client);
    await subscriber.read();
    const shown = await show(subscriber);
    expect(shown).toMatchObject({
      ...{ code: subscriber.code, enabled: true, types: ['consumer.erased'], touchpoints: [touchpoint] },
      ...{ readConsumers: true, acknowledgedAt: null },
      keys: [{ hint: key.slice(-4), expiresAt: null, lastUsedAt: expect.any(String) as string }],
    });
    expect(Number(shown.acknowledged)).toBeGreaterThan(Number(acknowledged));
    expect(JSON.stringify(shown)).not.toContain(key);
    const listed = await app.administer<SubscriberView[]>('subscriber', 'list');
    expect(listed.map(({ code }) => code)).toContain(subscriber.code);
    const stored = JSON.stringify(await app.query('SELECT k::text AS row FROM subscriber_key k'));
    expect(stored).not.toContain(key.slice(4, 20));
  });

  it('show which subscribers have acknowledged the erasure of a consumer', async () => {
    const quick = await SubscriberClient.create(app);
    const slow = await SubscriberClient.create(app);
    const elsewhere = await SubscriberClient.create(app, '--types', 'consumer.registered');
    const { customerId } = await register(client);
    expect(await failing('erasure', customerId)).toBe(`The log of events knows of no erasure of ${customerId}`);
    const { toBeTold } = await app.administer<{ toBeTold: string[] }>('consumer', 'erase', customerId, '--yes');
    expect(toBeTold).toEqual(expect.arrayContaining([quick.code, slow.code]));
    expect(toBeTold).not.toContain(elsewhere.code);
    // Before anybody has read.
    expect((await show(quick)).unseenErasures).toBe(1);
    const events = await quick.readAll();
    const erased = events.find(({ type, subject }) => type === 'consumer.erased' && subject === customerId);
    await quick.acknowledge(erased?.position ?? '');
    const late = await SubscriberClient.create(app);
    const { position, subscribers } = await app.administer<ErasureProof>('subscriber', 'erasure', customerId);
    expect(position).toBe(erased?.position);
    const of = ({ code }: SubscriberClient) => subscribers.find((one) => one.code === code);
    expect(of(quick)).toMatchObject({ isTold: true, hasPassed: true, acknowledged: position });
    expect(of(slow)).toMatchObject({ isTold: true, hasPassed: false });
    expect(of(elsewhere)).toMatchObject({ isTold: false });
    expect(of(late)).toMatchObject({ isTold: false });
    expect(await show(elsewhere)).toMatchObject({ types: ['consumer.registered'], unseenErasures: 0 });
    expect((await show(quick)).unseenErasures).toBe(0);
    const { types, unseenErasures } = await show(slow);
    expect(unseenErasures).toBeGreaterThan(0);
    expect(types).toContain('consumer.erased');
    expect(types).not.toContain('session.started');
  });

  it('do not claim that a subscriber was told of an erasure that it was moved past', async () => {
    const subscriber = await SubscriberClient.create(app);
    const { customerId } = await register(client);
    await app.administer('consumer', 'erase', customerId, '--yes');
    const told = async () => {
      const proof = await app.administer<ErasureProof>('subscriber', 'erasure', customerId);
      return proof.subscribers.find(({ code }) => code === subscriber.code)?.isTold;
    };
    expect(await told()).toBe(true);
    const { acknowledged, end } = await show(subscriber);
    await app.administer('subscriber', 'rewind', subscriber.code, '--to', end);
    expect(await told()).toBe(false);
    await app.administer('subscriber', 'rewind', subscriber.code, '--to', acknowledged);
    expect(await told()).toBe(true);
  });

  it('rotate a key with an overlap, or at once', async () => {
    const first = await SubscriberClient.create(app);
    const rotate = async (overlap: string) => {
      const options = ['rotate-key', first.code, '--overlap', overlap];
      return first.withKey((await app.administer<SubscriberView>('subscriber', ...options)).key);
    };
    const second = await rotate('1h');
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    const third = await rotate('0');
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 200]);
    expect((await show(first)).keys).toHaveLength(1);
  });

  it('disable a subscriber from its next request on, and enable it where it was', async () => {
    const subscriber = await SubscriberClient.create(app);
    await app.administer('subscriber', 'disable', subscriber.code);
    expect(await statusOf(subscriber)).toBe(401);
    const { customerId } = await register(client);
    await app.administer('subscriber', 'enable', subscriber.code);
    expect((await subscriber.of(customerId)).map(([type]) => type)).toEqual(['consumer.registered']);
  });

  it('rewind a subscriber to a position or a time', async () => {
    const subscriber = await SubscriberClient.create(app);
    const { customerId } = await register(client);
    const { events, nextAfter } = await subscriber.read();
    await subscriber.acknowledge(nextAfter);
    const before = String(Number(events[0]?.position) - 1);
    const rewind = (to: string) => app.administer<SubscriberView>('subscriber', 'rewind', subscriber.code, '--to', to);
    expect((await rewind(before)).acknowledged).toBe(before);
    expect((await subscriber.readAll()).map(({ subject }) => subject)).toContain(customerId);
    await subscriber.acknowledge(nextAfter);
    await rewind('1h');
    expect((await subscriber.readAll()).map(({ subject }) => subject)).toContain(customerId);
    expect(await failing('rewind', subscriber.code, '--to', '999999999')).toMatch(/^--to must be a position from 0 to/);
    expect(await failing('rewind', subscriber.code, '--to', 'soon')).toMatch(/^--to must be a position, a time/);
  });

  it('say in one line what is wrong', async () => {
    const { code } = await SubscriberClient.create(app);
    expect(await failing('create', '--code', code)).toBe(`There is a subscriber ${code} already`);
    expect(await failing('create', '--code', 'X')).toBe('A code has 3 to 64 of the characters a-z, 0-9 and -');
    expect(await failing('create', '--code', 'crm', '--types', 'a.b')).toMatch(
      /^--types: a\.b is not one of consumer\./,
    );
    expect(await failing('create', '--code', 'crm', '--touchpoints', 'nowhere')).toBe('There is no touchpoint nowhere');
    for (const command of [['show'], ['rotate-key'], ['disable'], ['enable'], ['rewind', '--to', '0']]) {
      const [name = '', ...options] = command;
      expect(await failing(name, 'nobody', ...options)).toBe('There is no subscriber nobody');
    }
  });

  it('are recorded', async () => {
    const { code } = await SubscriberClient.create(app);
    await app.administer('subscriber', 'rotate-key', code);
    await app.administer('subscriber', 'disable', code);
    await app.administer('subscriber', 'enable', code);
    await app.administer('subscriber', 'rewind', code, '--to', '0');
    const events = await app.administer<AuditEvent[]>('audit', 'list', '--since', '1h', '--limit', '10000');
    const acts = events.filter(({ details }) => details.code === code).map(({ type, actor }) => [type, actor]);
    expect(acts).toEqual([
      ['subscriber.created', 'cli'],
      ['subscriber.key-rotated', 'cli'],
      ['subscriber.disabled', 'cli'],
      ['subscriber.enabled', 'cli'],
      ['subscriber.rewound', 'cli'],
    ]);
  });
});
