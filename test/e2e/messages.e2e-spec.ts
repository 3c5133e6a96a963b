import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PgBoss from 'pg-boss';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../src/platform/app-config';
import { Clock } from '../../src/platform/clock';
import { poolDatabase } from '../../src/platform/jobs/boss-database';
import type { Job } from '../../src/platform/jobs/fair-fetch';
import { Jobs } from '../../src/platform/jobs/jobs.service';
import { createLogger } from '../../src/platform/logger';
import type { Message, RenderedEmail } from '../../src/platform/messages/message';
import { MessageList } from '../../src/platform/messages/message-list';
import { Messages } from '../../src/platform/messages/messages.service';
import { RetryPolicy } from '../../src/platform/messages/retry-policy';
import { render } from '../../src/platform/messages/templates/render';
import { DeliveryError } from '../../src/platform/messages/transports/delivery-error';
import { SmtpTransport } from '../../src/platform/messages/transports/smtp-transport';
import { buildCli, runCli } from '../support/cli';
import { Restarts } from '../support/restarts';
import { SmsGateway } from '../support/sms-gateway';
import { SmtpSink } from '../support/smtp-sink';
import { TcpProxy } from '../support/tcp-proxy';
import { TestApp } from '../support/test-app';
import { createTestDatabase } from '../support/test-database';

/** Some things can happen only to a server of its own. */
const SERVER_URL = process.env.TEST_DATABASE_URL ?? '';
const onPostgres: (name: string, test: () => Promise<void>) => void = SERVER_URL === '' ? () => undefined : it;

const CODE = '048213';
const BUILD_TIMEOUT_MS = 120_000;
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const codeFor = (to: string, fields: Partial<Extract<Message, { kind: 'verification-code' }>> = {}): Message => ({
  kind: 'verification-code',
  channel: to.startsWith('+') ? 'sms' : 'email',
  to,
  locale: null,
  code: CODE,
  expiresInMinutes: 10,
  ...fields,
});

const enqueue = (app: TestApp, ...messages: Message[]): Promise<void> =>
  app.dataSource.transaction(async (manager) => {
    for (const message of messages) await app.nest.get(Messages).enqueue(manager, message);
  });

const listed = (app: TestApp, to?: string) => app.nest.get(MessageList).list({ to });

/** Everything that stands in the queue, as somebody sees it who has only the database. */
const queueText = async (app: TestApp): Promise<string> => {
  const rows = await app.dataSource.query<object[]>(
    `SELECT to_jsonb(job) AS row FROM pgboss.job WHERE name LIKE 'message-%'
     UNION ALL SELECT to_jsonb(archive) FROM pgboss.archive`,
  );
  return JSON.stringify(rows);
};

const newJobs = (dataSource: DataSource): Jobs =>
  new Jobs({ dataSource, logger: createLogger('silent'), role: 'service', stopPatienceMs: 5_000 });

const SOON_SECONDS = 0.2;

/** Lets the policy decide whether a message is tried again, but not keep the test waiting. */
function retrySoon(app: TestApp): void {
  const policy = app.nest.get(RetryPolicy);
  const next = policy.nextDelaySeconds.bind(policy);
  jest.spyOn(policy, 'nextDelaySeconds').mockImplementation((failed) => (next(failed) === null ? null : SOON_SECONDS));
}

/** How long something may take to happen; a bound against hanging, not an expectation. */
const PATIENCE_MS = 25_000;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  while (!(await isSo())) {
    patience.throwIfAborted();
    await sleep(50);
  }
}

const isEmpty = (app: TestApp) => async () =>
  (await listed(app)).every(({ state }) => state === 'delivered' || state === 'failed');

describe('messages', () => {
  let sink: SmtpSink;
  let gateway: SmsGateway;
  let app: TestApp;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    gateway = await SmsGateway.start();
    app = await TestApp.start({
      env: {
        SMTP_URL: sink.url,
        MAIL_FROM: 'Consumer Service <service@example.com>',
        SMS_GATEWAY_URL: gateway.url,
        SMS_GATEWAY_SECRET: SECRET,
        APP_SECRET: 'a secret that every replica of this test knows',
      },
    });
    retrySoon(app);
  });
  beforeEach(() => {
    sink.behaviour = 'accept';
    sink.received.length = 0;
    gateway.answer = 202;
    gateway.requests.length = 0;
  });
  afterEach(async () => {
    await app.dataSource.query('DELETE FROM pgboss.job');
  });
  afterAll(async () => {
    await app.close();
    await sink.close();
    gateway.close();
  });

  describe('by e-mail', () => {
    it('have one recipient, the code, and nothing left in the queue', async () => {
      await enqueue(app, codeFor('ada@example.com', { locale: 'de-AT' }));
      await until(isEmpty(app));
      expect(sink.received).toHaveLength(1);
      const [{ from, recipients, raw } = { from: '', recipients: [], raw: '' }] = sink.received;
      expect({ from, recipients }).toEqual({ from: 'service@example.com', recipients: ['ada@example.com'] });
      expect(raw).toMatch(/^From: Consumer Service <service@example\.com>\r$/m);
      expect(raw).toMatch(/^To: ada@example\.com\r$/m);
      expect(raw).toMatch(/^Content-Language: de\r$/m);
      expect(raw.match(/[0-9]{6,}/g)).toEqual([CODE, CODE]);
      expect(JSON.parse(await queueText(app))).toEqual([]);
    });

    it('leave as soon as their transaction is committed, not when the queue is next looked at', async () => {
      const jobs = newJobs(app.dataSource);
      const taken: object[] = [];
      const take = async (job: Job) => {
        taken.push(job.data);
        await jobs.settle.remove(job);
      };
      jobs.work('seldom-looked-at', 1, take, 10 * PATIENCE_MS);
      await jobs.onApplicationBootstrap();
      try {
        await sleep(500);
        await app.dataSource.transaction((manager) => jobs.add(manager, 'seldom-looked-at', { number: 1 }, {}));
        await until(() => taken.length > 0);
      } finally {
        await jobs.beforeApplicationShutdown();
      }
      expect(taken).toEqual([{ number: 1 }]);
    });

    it('are not sent for what was rolled back', async () => {
      const refused = app.dataSource.transaction(async (manager) => {
        await app.nest.get(Messages).enqueue(manager, codeFor('nobody@example.com'));
        throw new Error('rolled back');
      });
      await expect(refused).rejects.toThrow('rolled back');
      await enqueue(app, codeFor('ada@example.com'));
      await until(isEmpty(app));
      expect(sink.received.map(({ recipients }) => recipients)).toEqual([['ada@example.com']]);
    });

    it('wait for a server that is down, and then arrive once each', async () => {
      const addresses = Array.from({ length: 20 }, (_, index) => `ada${index}@example.com`);
      await sink.close();
      await enqueue(app, ...addresses.map((to) => codeFor(to)));
      await until(async () => (await listed(app)).every(({ attempts }) => attempts > 0));
      await sink.open();
      await until(isEmpty(app));
      expect(sink.received.flatMap(({ recipients }) => recipients).sort()).toEqual(addresses.sort());
    });

    it('wait for a server that is busy', async () => {
      await sink.close();
      sink.behaviour = 'busy';
      await sink.open();
      await enqueue(app, codeFor('ada@example.com'));
      await until(async () => (await listed(app)).some(({ attempts }) => attempts > 6));
      sink.behaviour = 'accept';
      await until(isEmpty(app));
      expect(sink.received).toHaveLength(1);
    });

    it('are given up after some tries when the recipient is refused, listed as failed and recorded', async () => {
      sink.behaviour = 'refuse-recipient';
      await enqueue(app, codeFor('unknown@example.com'));
      await until(isEmpty(app));
      const failed = { to: 'unknown@example.com', state: 'failed', attempts: 5, nextAttemptAt: null, code: null };
      expect(await listed(app)).toEqual([expect.objectContaining(failed)]);
      const events = await app.dataSource.query<unknown[]>(
        `SELECT details FROM audit_event WHERE type = 'message.given-up'`,
      );
      expect(events).toEqual([
        {
          details: expect.objectContaining({
            kind: 'verification-code',
            messageId: expect.any(String) as string,
          }) as object,
        },
      ]);
      expect(await queueText(app)).not.toContain('unknown@');
    });

    it('are the same when they are sent again, and can be recognised', async () => {
      sink.behaviour = 'break';
      await enqueue(app, codeFor('ada@example.com'));
      await until(() => sink.received.length > 0);
      sink.behaviour = 'accept';
      await until(isEmpty(app));
      const [first, second] = sink.received.map(({ raw }) => raw.replace(/^Date: .*$/m, ''));
      expect(second).toBe(first);
    });

    it('are sent by somebody else when the process that had them has died', async () => {
      await sink.close();
      await enqueue(app, codeFor('ada@example.com'));
      await until(async () => (await listed(app)).every(({ state }) => state === 'retrying'));
      await app.dataSource.query(
        `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '2 minutes' WHERE state = 'retry'`,
      );
      await sink.open();
      await new PgBoss({ db: poolDatabase(app.dataSource) }).expire();
      await until(isEmpty(app));
      expect(sink.received).toHaveLength(1);
    });

    it.each([
      'ada@example.com\r\nBcc: eve@example.com',
      'ada@example.com, eve@example.com',
      '"ada, eve@example.com" <ada@example.com>',
      'eve@example.com:ada@example.com;',
      'ada@example.com\u0000',
    ])('are refused for %j', async (to) => {
      await expect(enqueue(app, { ...codeFor('a@b.c'), to })).rejects.toThrow('wrong email address');
    });
  });

  describe('by SMS', () => {
    it('are signed as Standard Webhooks say', async () => {
      await enqueue(app, codeFor('+4915112345678', { locale: 'fr' }));
      await until(isEmpty(app));
      expect(gateway.requests).toHaveLength(1);
      const { headers, body } = gateway.requests[0] ?? { headers: {}, body: '' };
      const verified = new Webhook(SECRET).verify(body, headers as Record<string, string>);
      expect(verified).toEqual({
        id: headers['webhook-id'],
        to: '+4915112345678',
        text: expect.stringContaining(CODE) as string,
        kind: 'verification-code',
        locale: 'fr',
      });
    });

    it.each([500, 302, 401, 429])('wait for a gateway that answers %d', async (status) => {
      gateway.answer = status;
      await enqueue(app, codeFor('+4915112345678'));
      await until(async () => (await listed(app)).some(({ attempts }) => attempts > 5));
      gateway.answer = 200;
      await until(isEmpty(app));
      expect(new Set(gateway.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(await listed(app)).toEqual([]);
    });

    it('are given up when the gateway refuses them', async () => {
      gateway.answer = 422;
      await enqueue(app, codeFor('+4915112345678'));
      await until(isEmpty(app));
      expect(await listed(app, '+4915112345678')).toEqual([expect.objectContaining({ state: 'failed', attempts: 5 })]);
    });
  });

  it('stand in the queue neither with their code nor with their address', async () => {
    gateway.answer = 500;
    await sink.close();
    await enqueue(app, codeFor('ada@example.com'), codeFor('+4915112345678'));
    await until(async () => (await listed(app)).every(({ attempts }) => attempts > 0));
    const stored = await queueText(app);
    await sink.open();
    expect(stored).toContain('verification-code');
    for (const secret of [CODE, 'ada@', 'example.com', '4915112345678']) expect(stored).not.toContain(secret);
  });

  it('are refused outside a transaction, which they could outlive', async () => {
    const { manager } = app.dataSource;
    await expect(app.nest.get(Messages).enqueue(manager, codeFor('ada@example.com'))).rejects.toThrow('transaction');
  });

  it('are shared by replicas, and sent once each', async () => {
    const replica = await TestApp.start({ replicaOf: app });
    try {
      const addresses = Array.from({ length: 200 }, (_, index) => `ada${index}@example.com`);
      await Promise.all(
        addresses.map((to, index) => enqueue(index % 2 === 0 ? app : replica, codeFor(to, { code: CODE }))),
      );
      await until(isEmpty(app));
      expect(sink.received.flatMap(({ recipients }) => recipients).sort()).toEqual(addresses.sort());
    } finally {
      await replica.close();
    }
  });
});

describe('the development mailbox', () => {
  let app: TestApp;
  let directory: string;

  beforeAll(async () => {
    buildCli();
    app = await TestApp.start();
    directory = join(app.nest.get(AppConfig).dataDir, 'mailbox');
  }, BUILD_TIMEOUT_MS);
  afterAll(() => app.close());

  it('holds a file for each message, for its owner alone', async () => {
    await enqueue(app, codeFor('ada@example.com'), codeFor('+4915112345678'));
    await until(isEmpty(app));
    const names = await readdir(directory);
    expect(names.map((name) => name.replace(/.*\./, '')).sort()).toEqual(['eml', 'json']);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    const mail = await readFile(join(directory, names.find((name) => name.endsWith('.eml')) ?? ''), 'utf8');
    expect(mail.match(/[0-9]{6,}/g)).toEqual([CODE, CODE]);
  });

  it('is listed with its codes on the command line', async () => {
    await enqueue(app, codeFor('grace@example.com', { locale: 'es', code: '000117' }));
    await until(isEmpty(app));
    const env = { ...app.env, ...(process.env.TEST_DATABASE_URL !== undefined && { DATABASE_URL: app.databaseUrl }) };
    const { stdout } = await runCli(env, 'message', 'list', '--to', 'Grace@example.com', '--json');
    expect(JSON.parse(stdout)).toEqual([
      {
        id: expect.any(String) as string,
        kind: 'verification-code',
        channel: 'email',
        to: 'grace@example.com',
        locale: 'es',
        state: 'delivered',
        attempts: 1,
        createdAt: expect.stringMatching(/^2.*Z$/) as string,
        nextAttemptAt: null,
        code: '000117',
      },
    ]);
  });

  it('is listed as empty where no service has ever run', async () => {
    await app.dataSource.query('ALTER SCHEMA pgboss RENAME TO pgboss_hidden');
    try {
      expect(await listed(app, 'nobody@example.com')).toEqual([]);
    } finally {
      await app.dataSource.query('ALTER SCHEMA pgboss_hidden RENAME TO pgboss');
    }
  });
});

describe('the SMTP transport', () => {
  const timeouts = { connection: 300, greeting: 300, socket: 300, whole: 1_000 };
  const message = render('0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11', codeFor('ada@example.com')) as RenderedEmail;

  it.each(['mute', 'hang', 'break', 'busy', 'refuse-recipient'] as const)(
    'does not wait for ever, and repeats no answer, when the server does this: %s',
    async (behaviour) => {
      const sink = await SmtpSink.start();
      sink.behaviour = behaviour;
      const from = { name: '', address: 'service@example.com' };
      const transport = await SmtpTransport.to({ url: sink.url, from }, new Clock(), timeouts);
      const error: unknown = await transport.deliver(message).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(DeliveryError);
      expect((error as DeliveryError).refused).toBe(behaviour === 'refuse-recipient');
      expect((error as DeliveryError).message).not.toContain('ada@');
      transport.close();
      await sink.close();
    },
  );
});

describe('the service', () => {
  let gateway: SmsGateway;
  let env: Record<string, string>;

  beforeEach(async () => {
    gateway = await SmsGateway.start();
    gateway.answer = 'hang';
    env = { SMS_GATEWAY_URL: gateway.url, SMS_GATEWAY_SECRET: SECRET };
  });
  afterEach(() => {
    gateway.close();
  });

  it('finishes what it is sending before it stops', async () => {
    const place = await Restarts.create();
    const first = await place.start({ env });
    await enqueue(first, codeFor('+4915112345678'));
    await until(() => gateway.requests.length === 1);
    const closed = first.close();
    gateway.release(202);
    await closed;
    const second = await place.start({ env });
    expect(await listed(second)).toEqual([]);
    await second.close();
    await place.dispose();
  });

  onPostgres('sends nothing twice because the database was away for a moment', async () => {
    const database = await createTestDatabase(SERVER_URL);
    const url = new URL(database.url);
    const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const app = await TestApp.start({ env: { ...env, DATABASE_URL: url.href } });
    await enqueue(app, codeFor('+4915112345678'));
    await until(() => gateway.requests.length === 1);
    proxy.takeAway();
    gateway.release(202);
    await sleep(1_000);
    proxy.giveBack();
    await until(async () => (await listed(app).catch(() => [null])).length === 0);
    expect(gateway.requests).toHaveLength(1);
    await app.close();
    proxy.stop();
    await database.drop();
  });
});

describe('the queues', () => {
  onPostgres('are made once by services that start together', async () => {
    const database = await createTestDatabase(SERVER_URL);
    const pools = [1, 2, 3, 4].map(() => new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }));
    const services = await Promise.all(pools.map(async (pool) => newJobs(await pool.initialize())));
    for (const service of services) for (const queue of ['a', 'b']) service.work(queue, 1, () => Promise.resolve());
    await Promise.all(services.map((service) => service.onApplicationBootstrap()));
    for (const pool of pools) expect(await pool.query('SELECT name FROM pgboss.queue')).toHaveLength(2);
    await Promise.all(services.map((service) => service.beforeApplicationShutdown()));
    await Promise.all(pools.map((pool) => pool.destroy()));
    await database.drop();
  });
});

describe('a scheduled job', () => {
  it('runs once in its period, whichever replica has it', async () => {
    const app = await TestApp.start();
    const { dataSource } = app;
    const replicas = [1, 2, 3].map(() => newJobs(dataSource));
    let runs = 0;
    for (const replica of replicas) {
      replica.schedule('test-cleanup', 86_400, () => {
        runs += 1;
        return Promise.resolve();
      });
    }
    await Promise.all(replicas.map((replica) => replica.onApplicationBootstrap()));
    const states = async () =>
      dataSource.query<{ state: string }[]>("SELECT state FROM pgboss.job WHERE name = 'test-cleanup'");
    await until(async () => (await states()).some(({ state }) => state === 'completed'));
    await Promise.all(replicas.map((replica) => replica.beforeApplicationShutdown()));
    expect([runs, (await states()).length]).toEqual([1, 1]);
    await app.close();
  });
});

describe('settings of messages', () => {
  const linesOf = (env: Record<string, string>): string[] => {
    try {
      new AppConfig(env);
      return [];
    } catch (error) {
      return (error as { lines: string[] }).lines;
    }
  };

  it.each([
    [{ SMTP_URL: 'http://mail', MAIL_FROM: 'a@b.c' }, ['SMTP_URL: must be an smtp:// or smtps:// address']],
    [{ SMTP_URL: 'smtp://mail' }, ['MAIL_FROM: is required with SMTP_URL']],
    [{ MAIL_FROM: 'Ada <ada@b' }, ['MAIL_FROM: must be an address, or Name <address>']],
    [{ MAIL_FROM: 'a@b.c, d@e.f' }, ['MAIL_FROM: must be an address, or Name <address>']],
    [
      { SMS_GATEWAY_URL: 'ftp://sms', SMS_GATEWAY_SECRET: SECRET },
      ['SMS_GATEWAY_URL: must be an https:// address without credentials, or http:// on loopback'],
    ],
    [{ SMS_GATEWAY_URL: 'https://sms' }, ['SMS_GATEWAY_SECRET: is required with SMS_GATEWAY_URL']],
    [{ SMS_GATEWAY_SECRET: 'whsec_c2hvcnQ=' }, ['SMS_GATEWAY_SECRET: must be whsec_ and at least 24 bytes in base64']],
    [{ SMTP_URL: 'smtps://u:p@mail:465', MAIL_FROM: '"Ada, Inc." <ada@example.com>' }, []],
    [{ SMS_GATEWAY_URL: 'https://sms', SMS_GATEWAY_SECRET: SECRET }, []],
  ])('%j: %j', (env, lines) => {
    expect(linesOf(env as Record<string, string>)).toEqual(lines);
  });
});
