import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD } from '../../support/api/consumers';
import { isReplay, newKey, outcomeOf, sendKeyed } from '../../support/api/idempotency';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { answerTo, rawRequest } from '../../support/http/raw-http';
import { delivered } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const REGISTER = '/api/v1/register';

/** A last name that no other consumer has. */
const newName = () => `Lovelace ${randomUUID()}`;

describe('Idempotency-Key', () => {
  let app: TestService;
  let client: ApiClient;
  /** The same backend, talking to another replica. */
  let elsewhere: ApiClient;
  let proving: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    elsewhere = client.at((await TestService.start({ replicaOf: app })).baseUrl);
    proving = await app.client({ channelProof: 'EMAIL' });
  });

  const consumersNamed = async (lastName: string): Promise<number> =>
    (await app.query('SELECT 1 FROM consumer WHERE last_name = $1', [lastName])).length;

  /** What is kept of the requests of a touchpoint, as text. */
  const recordsOf = async ({ headers }: ApiClient): Promise<string[]> => {
    const rows = await app.query<{ text: string }>(
      `SELECT record::text || encode(key_digest || request_digest, 'escape') AS text
       FROM idempotency_record record JOIN touchpoint ON touchpoint.id = touchpoint_id WHERE code = $1`,
      [headers['X-Touchpoint-Code']],
    );
    return rows.map(({ text }) => text);
  };

  const livesAs = async (token: string) => (await client.as(token).get('/api/v1/me')).body.customerId;

  it('makes one consumer of fifty equal registrations at once, on two replicas', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined, lastName: newName() });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => sendKeyed(index % 2 === 0 ? client : elsewhere, key, person)),
    );
    expect(await consumersNamed(person.lastName)).toBe(1);
    const accepted = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ body }) => body.code === 'REQUEST_IN_PROGRESS');
    expect(accepted.length + waiting.length).toBe(50);
    expect(accepted.filter((answer) => !isReplay(answer))).toHaveLength(1);
    const [customerId] = new Set(accepted.map(({ body }) => body.customerId));
    for (const { status, headers } of waiting) expect([status, headers.get('Retry-After')]).toEqual([409, '1']);

    const retries = await Promise.all(waiting.map(() => sendKeyed(client, key, person)));
    for (const answer of [...accepted, ...retries]) {
      expect([answer.status, answer.body.customerId]).toEqual([201, customerId]);
      expect(Object.keys(answer.body).sort()).toEqual(['customerId', 'token']);
      expect(await livesAs(answer.body.token)).toBe(customerId);
    }
    expect(retries.every(isReplay)).toBe(true);
    expect(new Set([...accepted, ...retries].map(({ body }) => body.token)).size).toBe(
      accepted.length + retries.length,
    );
    expect(await consumersNamed(person.lastName)).toBe(1);
  });

  it('compares bodies as JSON values: neither the order of members nor white space nor spelling matters', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined, attributes: { points: 10, tier: 'gold' } });
    const { type, firstName, lastName, password } = person;
    const { body } = await sendKeyed(client, key, person);
    const reordered = `{ "attributes": {"tier":"g\\u006fld", "points":1.0e1},\n "password":${JSON.stringify(password)},
      "lastName":"${lastName}", "firstName":"${firstName}", "type":"${type}" }`;
    expect(outcomeOf(await sendKeyed(client, key, reordered))).toEqual([201, body.customerId, 'replayed']);
  });

  it('refuses the key for another body or another route', async () => {
    const key = newKey();
    const person = newPerson({ attributes: { points: 1 } });
    const first = await sendKeyed(client, key, person);
    for (const other of [
      { ...person, password: 'another long password' },
      { ...person, firstName: 'Ada ' },
      { ...person, attributes: { points: '1' } },
      { ...person, unknown: null },
      {},
    ]) {
      const { status, body } = await sendKeyed(client, key, other);
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect((await sendKeyed(client, key, person, '/api/v1/register/complete')).body.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect(outcomeOf(await sendKeyed(client, key, person))).toEqual([201, first.body.customerId, 'replayed']);
  });

  it('means nothing at another touchpoint, and comes after the touchpoint credential and the JSON', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const { body } = await sendKeyed(client, key, person);
    const elsewhere = await sendKeyed(await app.client(), key, person);
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([201, false]);
    expect(elsewhere.body.customerId).not.toBe(body.customerId);
    const stranger = client.with({ 'X-Touchpoint-Key': 'wrong' });
    expect((await sendKeyed(stranger, key, person)).body.code).toBe('TOUCHPOINT_UNAUTHORIZED');
    expect((await sendKeyed(client, key, '{')).body.code).toBe('MALFORMED_JSON');
  });

  it('is free again after a refusal', async () => {
    const key = newKey();
    const person = newPerson();
    const { body: holder } = await sendKeyed(client, newKey(), person);
    expect((await sendKeyed(client, key, { ...person, firstName: '' })).body.code).toBe('VALIDATION_FAILED');
    expect((await sendKeyed(client, key, person)).body.code).toBe('IDENTIFIER_TAKEN');
    const other = newPerson();
    const { body } = await sendKeyed(client, key, other);
    expect(body.customerId).not.toBe(holder.customerId);
    expect(outcomeOf(await sendKeyed(client, key, other))).toEqual([201, body.customerId, 'replayed']);
  });

  it('repeats the first step of a verified registration, which sends one message and may be asked too soon', async () => {
    const key = newKey();
    const person = newPerson({ password: undefined });
    const first = await sendKeyed(proving, key, person);
    expect([first.status, isReplay(first)]).toEqual([202, false]);
    expect((await sendKeyed(proving, newKey(), person)).body.code).toBe('RESEND_TOO_SOON');
    const again = await sendKeyed(proving.at(elsewhere.baseUrl), key, person);
    expect([again.status, isReplay(again)]).toEqual([202, true]);
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body));
    expect(await delivered(app, person.email)).toHaveLength(1);
  });

  it('opens no session for a consumer who has been erased, and registers nobody again', async () => {
    const key = newKey();
    const person = newPerson();
    const { body } = await sendKeyed(client, key, person);
    const erasure = { isOver: false };
    const erased = app.cli('consumer', 'erase', body.customerId, '--yes').finally(() => (erasure.isOver = true));
    const statuses: number[] = [];
    while (!erasure.isOver) {
      const retries = await Promise.all(Array.from({ length: 8 }, () => sendKeyed(elsewhere, key, person)));
      statuses.push(...retries.map(({ status }) => status));
    }
    expect((await erased).exitCode).toBe(0);
    expect(statuses.filter((status) => ![201, 401, 409].includes(status))).toEqual([]);
    const again = await sendKeyed(client, key, person);
    expect([again.status, again.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    const anew = await sendKeyed(client, newKey(), person);
    expect([anew.status, anew.body.customerId === body.customerId]).toEqual([201, false]);
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

    const person = newPerson({ lastName: newName() });
    const before = await recordsOf(client);
    const refused = await sendKeyed(client, 'x'.repeat(129), person);
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ field: 'Idempotency-Key', code: 'TOO_LONG', params: { max: 128 } }),
    ]);
    expect(await recordsOf(client)).toEqual(before);
    expect(await consumersNamed(person.lastName)).toBe(0);
  });

  it('is recorded in the audit trail where it opens a session again', async () => {
    const key = newKey();
    const person = newPerson();
    await sendKeyed(client, key, person);
    const { body, headers } = await sendKeyed(client, key, person);
    const events = await app.query(
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
    const { body } = await sendKeyed(client, key, person);
    await sendKeyed(proving, newKey(), person);
    const text = [...(await recordsOf(client)), ...(await recordsOf(proving))].join('\n');
    expect(text).toContain(body.customerId);
    for (const secret of [key, PASSWORD, person.email, body.token, ...body.token.split('.')]) {
      expect(text).not.toContain(secret);
    }
  });

  it('costs nothing without the header', async () => {
    const before = await recordsOf(client);
    const { status, headers } = await client.post(REGISTER, newPerson());
    expect([status, headers.has('Idempotency-Replayed')]).toEqual([201, false]);
    expect(await recordsOf(client)).toEqual(before);
  });
});
