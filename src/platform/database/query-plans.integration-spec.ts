import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource, Logger, QueryRunner } from 'typeorm';
import { ConsumerExportService } from '../../consumers/transfer/export/consumer-export.service';
import { ExpiredRows } from '../jobs/expired-rows';
import { Clock } from '../clock';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { newId } from '../random';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import { AssertionIssuer } from '../../../test/support/identity-providers/assertion-issuer';
import { newPerson, PASSWORD, register, type SessionBody } from '../../../test/support/api/consumers';
import { codeSentTo, wrongCode } from '../../../test/support/messages/mailbox';
import { TestApp } from '../../../test/support/in-process/test-app';

/** Tables that have few rows however many consumers there are. */
const SMALL = new Set([
  ...['touchpoint', 'touchpoint_key', 'identity_provider', 'migration', 'scheduled_job', 'webhook'],
  ...['event_head', 'subscriber', 'subscriber_key'],
]);

/** Enough for the planner to prefer an index. */
const MANY = 20_000;
/** So many that no statement meets its deadline. */
const AT_ONCE = 2_000;
const SOME_CONSUMERS = `
  WITH many AS (
    INSERT INTO consumer (id, type, first_name, last_name, created_at, updated_at)
    SELECT gen_random_uuid(), 'PERSON', 'Ada', 'Lovelace', now(), now() FROM generate_series(1, ${AT_ONCE})
    RETURNING id
  ), secrets AS (INSERT INTO credential (consumer_id, password_hash) SELECT id, '' FROM many)
  INSERT INTO identifier (id, consumer_id, kind, value, pending)
  SELECT gen_random_uuid(), id, 'email', id || '@example.com', false FROM many`;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  Plans?: PlanNode[];
}

/** Every statement that the service sends, by its text, with the values it had last. */
class StatementLog {
  readonly statements = new Map<string, unknown[]>();

  attachTo(dataSource: DataSource): void {
    const ignore = () => undefined;
    const logQuery = (text: string, values: unknown[] = []) => {
      this.statements.set(text, values);
    };
    const logger: Logger = {
      logQuery,
      logQueryError: ignore,
      logQuerySlow: ignore,
      logSchemaBuild: ignore,
      logMigration: ignore,
      log: ignore,
    };
    dataSource.logger = logger;
  }

  /** Those that read or change rows of the service's own tables. */
  ofOwnTables(): [text: string, values: unknown[]][] {
    return [...this.statements].filter(([text]) => /^\s*(WITH|SELECT|UPDATE|DELETE|INSERT)\b/i.test(text));
  }
}

async function planOf(text: string, values: unknown[], session: DataSource | QueryRunner): Promise<PlanNode> {
  const [row] = (await session.query(`EXPLAIN (FORMAT JSON) ${text}`, values)) as [
    { 'QUERY PLAN': [{ Plan: PlanNode }] },
  ];
  return row['QUERY PLAN'][0].Plan;
}

/** The scans that a plan is made of, each as its table and what it looks up in an index. */
function scansOf(node: PlanNode): string[] {
  const table = node['Relation Name'];
  const own = table === undefined ? [] : [`${table} ${node['Index Cond'] ?? node['Recheck Cond'] ?? 'whole'}`];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

/** The tables that a plan reads from end to end. */
function scannedWhole(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedWhole)];
}

function tablesOf(node: PlanNode): string[] {
  const own = node['Relation Name'] === undefined ? [] : [node['Relation Name']];
  return [...own, ...(node.Plans ?? []).flatMap(tablesOf)];
}

describe('the statements behind the API', () => {
  let app: TestApp;
  const log = new StatementLog();
  const issuer = AssertionIssuer.start(new Clock());

  beforeAll(async () => {
    app = await TestApp.start();
    log.attachTo(app.dataSource);
  });
  afterAll(async () => {
    (await issuer).close();
    await app.close();
  });

  async function useEveryRoute(): Promise<void> {
    const client = await app.client();
    const { url, jwksUri } = await issuer;
    const provider = { issuer: url, audience: 'shop', keys: { uri: jwksUri }, trustsEmail: true };
    const code = client.headers['X-Touchpoint-Code'] ?? '';
    await app.nest.get(IdentityProvidersService).add(code, provider, SERVICE_ORIGIN);
    const login = (identifier: string, password = PASSWORD) =>
      client.with({ 'X-Consumer-IP': '192.0.2.7' }).post<SessionBody>('/api/v1/login', { identifier, password });

    const phone = '+12025550123';
    const { email, customerId } = await register(client.with({ 'Idempotency-Key': newId() }), { phone });
    await login(email, 'wrong');
    await login(phone);
    const { body } = await login(customerId);
    await login(email);
    const me = client.as(body.token);
    await me.get('/api/v1/me');
    await me.post('/api/v1/verifications/email/request');
    const sent = await codeSentTo(app, email);
    await me.post('/api/v1/verifications/email/confirm', { code: wrongCode(sent) });
    await me.post('/api/v1/verifications/email/confirm', { code: sent });
    await me.patch('/api/v1/me', { email: newPerson().email, phone: null, attributes: { tier: 'gold' } });
    await me.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: `${PASSWORD} again` });

    const claims = { given_name: 'Ada', family_name: 'Lovelace', email: newPerson().email, email_verified: true };
    const assertion = await (await issuer).sign({ ...claims, sub: 'ada' });
    expect((await client.post('/api/v1/identify', { assertion })).status).toBe(201);
    const again = await (await issuer).sign({ ...claims, sub: 'ada' });
    expect((await client.post('/api/v1/identify', { assertion: again })).status).toBe(200);

    const proving = await app.client({ channelProof: ChannelProof.Email });
    const { password, ...person } = newPerson();
    const begun = await proving.post<{ registrationId: string }>('/api/v1/register', person);
    const proof = { registrationId: begun.body.registrationId, code: await codeSentTo(app, person.email), password };
    expect((await proving.post('/api/v1/register/complete', proof)).status).toBe(201);
    expect((await me.post('/api/v1/logout')).status).toBe(204);
    await app.nest.get(ExpiredRows).deleteAll();
  }

  it('find their rows by an index in every table that grows', async () => {
    await useEveryRoute();
    const statements = log.ofOwnTables();
    const runner = app.dataSource.createQueryRunner();
    const reads: string[] = [];
    const scans: string[] = [];
    try {
      await runner.startTransaction();
      // Tables of a few rows are read whole where that is allowed at all.
      await runner.query('SET LOCAL enable_seqscan = off');
      for (const [text, values] of statements) {
        const plan = await planOf(text, values, runner);
        reads.push(...tablesOf(plan));
        for (const table of scannedWhole(plan)) if (!SMALL.has(table)) scans.push(`${table}: ${text}`);
      }
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect(scans).toEqual([]);
    expect([...new Set(reads)]).toEqual(
      expect.arrayContaining([
        'consumer',
        'identifier',
        'credential',
        'session',
        'challenge',
        'login_attempt',
        'known_address',
        'external_identity',
        'idempotency_record',
        'message',
      ]),
    );
  });

  it('find what belongs to a page of an export by an index, even without statistics', async () => {
    for (let made = 0; made < MANY; made += AT_ONCE) await app.dataSource.query(SOME_CONSUMERS);
    const exported = new StatementLog();
    exported.attachTo(app.dataSource);
    const directory = await mkdtemp(join(tmpdir(), 'export-'));
    try {
      const options = { origin: SERVICE_ORIGIN, signal: new AbortController().signal, progressed: () => undefined };
      await app.nest.get(ConsumerExportService).exportAll(join(directory, 'all.ndjson'), options);
    } finally {
      await rm(directory, { recursive: true });
    }
    const pages = exported.ofOwnTables().filter(([text]) => text.includes('credential') && text.includes('id > $1'));
    const [[page, values] = []] = pages;
    if (page === undefined || values === undefined) throw new Error('No statement reads a further page');
    const [middle] = await app.dataSource.query<[{ id: string }]>(
      `SELECT id FROM consumer ORDER BY id OFFSET ${MANY / 2} LIMIT 1`,
    );
    expect(scansOf(await planOf(page, values.with(0, middle.id), app.dataSource)).sort()).toEqual([
      expect.stringMatching(/^consumer \(id > /),
      expect.stringMatching(/^credential \(consumer_id = /),
      expect.stringMatching(/^external_identity \(consumer_id = /),
      expect.stringMatching(/^identifier \(+consumer_id = /),
      expect.stringMatching(/^identifier \(+consumer_id = /),
    ]);
  });
});
