import { setTimeout as sleep } from 'node:timers/promises';
import { AuthenticationMode, ChannelProof } from '../../src/touchpoints/touchpoint.entity';
import type { Answer, ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../support/consumers';
import { FixedClock } from '../support/fixed-clock';
import { codeSentTo, delivered } from '../support/mailbox';
import { type ProblemBody, violationsOf } from '../support/problems';
import { answerTo, rawRequest } from '../support/raw-http';
import { Restarts } from '../support/restarts';
import { TestApp } from '../support/test-app';

interface Body extends SessionBody, Partial<ProblemBody> {
  registrationId: string;
}

const REGISTER = '/api/v1/register';
const COMPLETE = '/api/v1/register/complete';
const LEASE_SECONDS = 60;

let keys = 0;
const newKey = () => `key-${process.pid}-${(keys += 1)}`;

const send = (client: ApiClient, key: string, body: unknown, path = REGISTER): Promise<Answer<Body>> =>
  client.with({ 'Idempotency-Key': key }).post<Body>(path, body);

const isReplay = ({ headers }: Answer<Body>) => headers.get('Idempotency-Replayed') === 'true';

/** Status, or code of an error, and whose it is. */
const outcomeOf = (answer: Answer<Body>) => [
  answer.body.code ?? answer.status,
  answer.body.customerId,
  isReplay(answer) ? 'replayed' : 'first',
];

describe('Idempotency-Key', () => {
  const clock = new FixedClock();
  let app: TestApp;
  let replica: TestApp;
  let client: ApiClient;
  let proving: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
    replica = await TestApp.start({ clock, replicaOf: app });
    client = await app.client();
    proving = await app.client({ channelProof: ChannelProof.Email });
  });
  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  const count = async (table: string, where = 'true'): Promise<number> => {
    const [row] = await app.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`,
    );
    return row.count;
  };
  const livesAs = async (token: string) => (await client.as(token).get('/api/v1/me')).body.customerId;

  it('makes one consumer of fifty equal registrations at once, on two replicas', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const before = await count('consumer');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        send(index % 2 === 0 ? client : client.at(replica.baseUrl), key, person),
      ),
    );
    expect(await count('consumer')).toBe(before + 1);
    const accepted = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ body }) => body.code === 'REQUEST_IN_PROGRESS');
    expect(accepted.length + waiting.length).toBe(50);
    expect(accepted.filter((answer) => !isReplay(answer))).toHaveLength(1);
    const [customerId] = new Set(accepted.map(({ body }) => body.customerId));
    for (const { status, headers } of waiting) expect([status, headers.get('Retry-After')]).toEqual([409, '1']);

    const retries = await Promise.all(waiting.map(() => send(client, key, person)));
    for (const answer of [...accepted, ...retries]) {
      expect([answer.status, answer.body.customerId]).toEqual([201, customerId]);
      expect(Object.keys(answer.body).sort()).toEqual(['customerId', 'token']);
      expect(await livesAs(answer.body.token)).toBe(customerId);
    }
    expect(retries.every(isReplay)).toBe(true);
    expect(new Set([...accepted, ...retries].map(({ body }) => body.token)).size).toBe(
      accepted.length + retries.length,
    );
    expect(await count('consumer')).toBe(before + 1);
  });

  it('compares bodies as JSON values: neither the order of members nor white space nor spelling matters', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined, attributes: { points: 10, tier: 'gold' } });
    const { type, firstName, lastName, password } = person;
    const { body } = await send(client, key, person);
    const reordered = `{ "attributes": {"tier":"g\\u006fld", "points":1.0e1},\n "password":${JSON.stringify(password)},
      "lastName":"${lastName}", "firstName":"${firstName}", "type":"${type}" }`;
    expect(outcomeOf(await send(client, key, reordered))).toEqual([201, body.customerId, 'replayed']);
  });

  it('refuses the key for another body or another route', async () => {
    const key = newKey();
    const person = newPerson({ attributes: { points: 1 } });
    const first = await send(client, key, person);
    for (const other of [
      { ...person, password: 'another long password' },
      { ...person, firstName: 'Ada ' },
      { ...person, attributes: { points: '1' } },
      { ...person, unknown: null },
      {},
    ]) {
      const { status, body } = await send(client, key, other);
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect((await send(client, key, person, COMPLETE)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(outcomeOf(await send(client, key, person))).toEqual([201, first.body.customerId, 'replayed']);
  });

  it('means nothing at another touchpoint, and comes after the touchpoint credential and the JSON', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const { body } = await send(client, key, person);
    const elsewhere = await send(await app.client(), key, person);
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([201, false]);
    expect(elsewhere.body.customerId).not.toBe(body.customerId);
    const stranger = client.with({ 'X-Touchpoint-Key': 'wrong' });
    expect((await send(stranger, key, person)).body.code).toBe('TOUCHPOINT_UNAUTHORIZED');
    expect((await send(client, key, '{')).body.code).toBe('MALFORMED_JSON');
  });

  it('is free again after a refusal', async () => {
    const key = newKey();
    const person = newPerson();
    const { body: holder } = await send(client, newKey(), person);
    expect((await send(client, key, { ...person, firstName: '' })).body.code).toBe('VALIDATION_FAILED');
    expect((await send(client, key, person)).body.code).toBe('IDENTIFIER_TAKEN');
    const other = newPerson();
    const { body } = await send(client, key, other);
    expect(body.customerId).not.toBe(holder.customerId);
    expect(outcomeOf(await send(client, key, other))).toEqual([201, body.customerId, 'replayed']);
  });

  it('repeats the first step of a verified registration, which sends one message and may be asked too soon', async () => {
    const key = newKey();
    const person = newPerson({ password: undefined });
    const first = await send(proving, key, person);
    expect([first.status, isReplay(first)]).toEqual([202, false]);
    expect((await send(proving, newKey(), person)).body.code).toBe('RESEND_TOO_SOON');
    const again = await send(proving.at(replica.baseUrl), key, person);
    expect([again.status, isReplay(again)]).toEqual([202, true]);
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body));
    expect(await delivered(app, person.email)).toHaveLength(1);
  });

  it('repeats the completion of a registration, whose code is spent', async () => {
    const person = newPerson({ password: undefined });
    const { body: started } = await send(proving, newKey(), person);
    const code = await codeSentTo(app, person.email);
    const completion = { registrationId: started.registrationId, code, password: PASSWORD };
    const key = newKey();
    expect((await send(proving, key, { ...completion, password: 'short' }, COMPLETE)).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(proving, key, completion, COMPLETE)));
    const { body } = await send(proving, key, completion, COMPLETE);
    expect(await livesAs(body.token)).toBe(body.customerId);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.body.customerId).toBe(body.customerId);
      else expect(answer.body.code).toBe('REQUEST_IN_PROGRESS');
    }
    clock.advance({ minutes: 11 });
    expect(outcomeOf(await send(proving, key, completion, COMPLETE))).toEqual([201, body.customerId, 'replayed']);
    expect((await send(proving, newKey(), completion, COMPLETE)).body.code).toBe('CODE_EXPIRED');
  });

  it('is remembered for 24 hours', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const { body } = await send(client, key, person);
    clock.advance({ minutes: 24 * 60 - 1 });
    expect(outcomeOf(await send(client, key, person))).toEqual([201, body.customerId, 'replayed']);
    clock.advance({ minutes: 1 });
    const anew = await send(client, key, person);
    expect([anew.status, isReplay(anew), anew.body.customerId === body.customerId]).toEqual([201, false, false]);
  });

  it('is blocked by a request that crashed only until its lease ends', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const { body } = await send(client, key, person);
    const crashed = `consumer_id = '${body.customerId}'`;
    await app.dataSource.query(`UPDATE idempotency_record SET outcome = NULL, consumer_id = NULL WHERE ${crashed}`);
    expect((await send(client, key, person)).body.code).toBe('REQUEST_IN_PROGRESS');
    expect((await send(client, key, newPerson())).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    clock.advance({ seconds: LEASE_SECONDS });
    const second = await send(client, key, person);
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(outcomeOf(await send(client, key, person))).toEqual([201, second.body.customerId, 'replayed']);
  });

  it('does not live longer than the consumer', async () => {
    const key = newKey();
    const person = newPerson();
    const { body } = await send(client, key, person);
    const [, ...retries] = await Promise.all([
      app.dataSource.query('DELETE FROM consumer WHERE id = $1', [body.customerId]),
      ...Array.from({ length: 8 }, () => send(client.at(replica.baseUrl), key, person)),
    ]);
    for (const { status } of retries) expect([201, 409]).toContain(status);
    await app.dataSource.query(
      'DELETE FROM consumer WHERE id IN (SELECT consumer_id FROM identifier WHERE value = $1)',
      [person.email],
    );
    const anew = await send(client, key, person);
    expect([anew.status, isReplay(anew), anew.body.customerId === body.customerId]).toEqual([201, false, false]);
  });

  it('opens no session for an old password once the password has changed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = newKey();
      const person = newPerson();
      const { body } = await send(client, key, person);
      const change = { currentPassword: PASSWORD, newPassword: 'hold fast to the analytical engine' };
      const [changed, ...retries] = await Promise.all([
        client.as(body.token).post('/api/v1/password/change', change),
        ...Array.from({ length: 6 }, () => send(client, key, person)),
      ]);
      expect(changed.status).toBe(204);
      for (const { status, body: retried } of retries) {
        if (status === 201) expect(await livesAs(retried.token)).toBeUndefined();
        else expect(['IDENTIFIER_TAKEN', 'REQUEST_IN_PROGRESS']).toContain(retried.code);
      }
      expect((await send(client, key, person)).body.code).toBe('IDENTIFIER_TAKEN');
      expect(await livesAs(body.token)).toBe(body.customerId);
    }
  });

  it('is 1 to 128 visible ASCII characters, sent once; what is wrong is told with the rest', async () => {
    const body = JSON.stringify(newPerson({ firstName: '', email: undefined }));
    const violations = async (...values: string[]) => {
      const headers = { Host: 'localhost', 'Content-Type': 'application/json', ...client.headers };
      const lines = Object.entries({ ...headers, 'Content-Length': body.length }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      const request = rawRequest(
        `POST ${REGISTER}`,
        [...lines, ...values.map((value) => `Idempotency-Key: ${value}`)],
        body,
      );
      const answer = await answerTo(app.baseUrl, request);
      expect(answer.status).toBe(400);
      return violationsOf({ ...answer, headers: new Headers(), body: JSON.parse(answer.body) as ProblemBody });
    };
    const ofBody = 'firstName TOO_SHORT';
    const wrongFormat = ['Idempotency-Key INVALID_FORMAT', ofBody];
    for (const bad of ['', ' ', 'two words', 'caf\xe9', 'tab\tbed']) expect(await violations(bad)).toEqual(wrongFormat);
    expect(await violations('same', 'same')).toEqual(wrongFormat);
    expect(await violations('x'.repeat(129))).toEqual(['Idempotency-Key TOO_LONG', ofBody]);
    for (const good of ['x'.repeat(128), '!', '"a,b~"']) expect(await violations(good)).toEqual([ofBody]);

    const before = [await count('consumer'), await count('idempotency_record')];
    const refused = await send(client, 'x'.repeat(129), newPerson());
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ field: 'Idempotency-Key', code: 'TOO_LONG', params: { max: 128 } }),
    ]);
    expect([await count('consumer'), await count('idempotency_record')]).toEqual(before);
  });

  it('is recorded in the audit trail where it opens a session again', async () => {
    const key = newKey();
    const person = newPerson();
    await send(client, key, person);
    const { body, headers } = await send(client, key, person);
    const events = await app.dataSource.query<unknown[]>(
      `SELECT type, actor, details, request_id FROM audit_event WHERE consumer_id = $1 AND type = 'request.replayed'`,
      [body.customerId],
    );
    const requestId = headers.get('X-Request-Id');
    const details = { operation: 'register' };
    expect(events).toEqual([{ type: 'request.replayed', actor: 'touchpoint', details, request_id: requestId }]);
  });

  it('is kept without password, token, e-mail address and the key itself', async () => {
    const key = newKey();
    const person = newPerson();
    const { body } = await send(client, key, person);
    await send(proving, newKey(), person);
    const rows = await app.dataSource.query<{ text: string }[]>(
      `SELECT record::text || encode(key_digest || request_digest, 'escape') AS text FROM idempotency_record record`,
    );
    const text = rows.map((row) => row.text).join('\n');
    expect(text).toContain(body.customerId);
    for (const secret of [key, PASSWORD, person.email, body.token, ...body.token.split('.')]) {
      expect(text).not.toContain(secret);
    }
  });

  it('costs nothing without the header', async () => {
    const before = await count('idempotency_record');
    const { status, headers } = await client.post(REGISTER, newPerson());
    expect([status, headers.has('Idempotency-Replayed')]).toEqual([201, false]);
    expect(await count('idempotency_record')).toBe(before);
  });
});

describe('Idempotency-Key and a request that outlives its lease', () => {
  it('leaves nothing behind when another request has taken its key', async () => {
    const clock = new FixedClock();
    const app = await TestApp.start({ clock, env: { BCRYPT_COST: '11', HASH_WORKERS: '1' } });
    try {
      const client = await app.client();
      // The one hashing thread is busy with these, so that the first request waits.
      const others = Array.from({ length: 6 }, () => client.post(REGISTER, newPerson()));
      const key = newKey();
      const person = newPerson({ email: undefined });
      const first = send(client, key, person);
      while ((await app.dataSource.query<unknown[]>('SELECT 1 FROM idempotency_record')).length === 0) await sleep(5);
      clock.advance({ seconds: LEASE_SECONDS });
      const second = send(client, key, person);
      expect((await first).body.code).toBe('REQUEST_IN_PROGRESS');
      const { status, body } = await second;
      expect(status).toBe(201);
      expect(outcomeOf(await send(client, key, person))).toEqual([201, body.customerId, 'replayed']);
      const consumers = await app.dataSource.query<unknown[]>('SELECT 1 FROM consumer');
      expect(consumers).toHaveLength((await Promise.all(others)).length + 1);
    } finally {
      await app.close();
    }
  });
});

describe('Idempotency-Key and a change of APP_SECRET', () => {
  const [former, current] = ['former-'.repeat(6), 'current-'.repeat(5)];

  it('still finds what was done under the former secret, as long as that is accepted', async () => {
    const restarts = await Restarts.create();
    try {
      let app = await restarts.start({ env: { APP_SECRET: former } });
      const { headers } = await app.client({ authenticationMode: AuthenticationMode.Password });
      const key = newKey();
      const person = newPerson({ email: undefined });
      const clientOf = async () => (await app.client()).with(headers);
      const { body } = await send(await clientOf(), key, person);
      await app.close();

      app = await restarts.start({ env: { APP_SECRET: `${current},${former}` } });
      expect(outcomeOf(await send(await clientOf(), key, person))).toEqual([201, body.customerId, 'replayed']);
      expect((await send(await clientOf(), key, newPerson())).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
      await app.close();
    } finally {
      await restarts.dispose();
    }
  });
});
