import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiProblem, type ConsumerClient, ConsumerServiceClient, type RetryOptions } from 'consumer-service-client';
import retrying from '../dist/retrying-fetch.js';

type Answer = Response | Error;

const problem = (status: number, code: string, retryAfter: string | null = '0'): Response =>
  Response.json(
    { type: `/docs/errors/${code}`, title: '', status, code, requestId: 'r-1' },
    {
      status,
      headers: {
        'Content-Type': 'application/problem+json',
        ...(retryAfter !== null && { 'Retry-After': retryAfter }),
      },
    },
  );
const session = (): Response => Response.json({ customerId: 'c', token: 't' }, { status: 201 });

/** A network that gives these answers, one after the other. */
function network(answers: Answer[], retry?: RetryOptions, timeoutSeconds = 10) {
  const sent: Request[] = [];
  const client = new ConsumerServiceClient({
    ...{ baseUrl: 'http://service.invalid', touchpoint: { code: 'shop', key: 'tpk_' } },
    ...(retry && { retry }),
    timeoutSeconds,
    fetch: (request) => {
      sent.push(request);
      const answer = answers[sent.length - 1] ?? new Error('There is no further answer');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { client, sent };
}

const registration = { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace' } as const;

describe('retries', () => {
  it('send the same key and body again until the service has an answer', async () => {
    const lost = new TypeError('fetch failed');
    const refusals = [problem(503, 'SERVICE_UNAVAILABLE'), lost, problem(409, 'REQUEST_IN_PROGRESS')];
    const { client, sent } = network([...refusals, session()], { attempts: 4 });
    assert.deepEqual(await client.register(registration), { customerId: 'c', token: 't' });
    assert.equal(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
    assert.ok(sent.every(({ headers }) => (headers.get('idempotency-key') ?? '').length >= 32));
    assert.deepEqual(await Promise.all(sent.map((request) => request.json())), Array(4).fill(registration));
  });

  it('hand over a refusal that asks for a longer wait than there is time for', async () => {
    const { client, sent } = network([problem(503, 'SERVICE_UNAVAILABLE', '2'), session()], undefined, 1.5);
    await assert.rejects(
      client.register(registration),
      (error) => error instanceof ApiProblem && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter === 2,
    );
    assert.equal(sent.length, 1);
  });

  it('read again after a lost connection, and send nothing again where that is turned off', async () => {
    const profile = () => Response.json({ customerId: 'c' });
    const { client, sent } = network([new TypeError('fetch failed'), profile()]);
    await client.as('t').me();
    assert.equal(sent.length, 2);
    const once = network([new TypeError('fetch failed'), profile()], { attempts: 1 });
    await assert.rejects(once.client.as('t').me(), TypeError);
    assert.equal(once.sent.length, 1);
  });

  it('send a key of their own with every call that takes one, or that of the caller', async () => {
    const { client, sent } = network(Array.from({ length: 6 }, session));
    await client.register(registration);
    await client.completeRegistration({ registrationId: 'r', code: '123456' });
    await client.identify({ assertion: 'a' });
    await client.forgotPassword('ada@example.com');
    await client.resetPassword({ recoveryId: 'r', code: '12345678', newPassword: 'b' });
    await client.register(registration, { idempotencyKey: 'mine' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    assert.equal(new Set(keys).size, 6);
    assert.equal(keys[5], 'mine');
  });

  const acts: [string, (consumer: ConsumerClient, client: ConsumerServiceClient) => Promise<unknown>][] = [
    ['logging in', (_, client) => client.login({ identifier: 'ada@example.com', password: 'a' })],
    ['asking for a code', (consumer) => consumer.requestVerification('email')],
    ['confirming with a code', (consumer) => consumer.confirmVerification('email', '123456')],
    ['changing the password', (consumer) => consumer.changePassword({ currentPassword: 'a', newPassword: 'b' })],
    ['changing the profile', (consumer) => consumer.updateMe({ locale: 'en' }, { ifMatch: '"1"' })],
    ['logging out', (consumer) => consumer.logout()],
  ];
  for (const [act, perform] of acts) {
    it(`never repeat ${act} unasked, whether the connection is lost or the answer is 503 or 429`, async () => {
      const lost = network([new TypeError('fetch failed'), session()]);
      await assert.rejects(perform(lost.client.as('t'), lost.client), TypeError);
      assert.equal(lost.sent.length, 1);
      for (const status of [503, 429]) {
        const refused = network([problem(status, 'A_REFUSAL', '1'), session()]);
        await assert.rejects(
          perform(refused.client.as('t'), refused.client),
          (error) => error instanceof ApiProblem && error.status === status && error.retryAfter === 1,
        );
        assert.equal(refused.sent.length, 1);
      }
    });
  }

  for (const retryAfter of ['4', '30', null]) {
    it(`leave a wait of ${retryAfter ?? 'unknown'} seconds to the caller, also where a repetition is safe`, async () => {
      for (const status of [503, 429]) {
        const { client, sent } = network([problem(status, 'A_REFUSAL', retryAfter), session()]);
        const expected = retryAfter === null ? undefined : Number(retryAfter);
        await assert.rejects(
          client.register(registration),
          (error) => error instanceof ApiProblem && error.status === status && error.retryAfter === expected,
        );
        assert.equal(sent.length, 1);
      }
    });
  }

  it('do not guess at a date in Retry-After', async () => {
    const dated = problem(503, 'SERVICE_UNAVAILABLE', 'Wed, 21 Oct 2026 07:28:00 GMT');
    const { client, sent } = network([dated, session()]);
    await assert.rejects(client.as('t').me(), (error) => error instanceof ApiProblem && error.status === 503);
    assert.equal(sent.length, 1);
  });

  it('end after the attempts that were allowed, with the last answer', async () => {
    const refusals = Array.from({ length: 5 }, () => problem(503, 'SERVICE_UNAVAILABLE'));
    const { client, sent } = network(refusals, { attempts: 3 });
    await assert.rejects(client.as('t').me(), (error) => error instanceof ApiProblem && error.status === 503);
    assert.equal(sent.length, 3);
  });

  it('leave other refusals alone', async () => {
    const { client, sent } = network([problem(409, 'IDENTIFIER_TAKEN')]);
    await assert.rejects(client.register(registration), (error) => error instanceof ApiProblem && error.status === 409);
    assert.equal(sent.length, 1);
  });

  it('come back at a random moment, later with every attempt, never before the time that the service asks for', () => {
    const pauses = (askedFor: number, random: number) =>
      [1, 2, 3, 4, 5, 6].map((attempt) => retrying.pauseSeconds(attempt, askedFor, () => random));
    assert.deepEqual(pauses(0, 0), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(pauses(0, 1), [0.25, 0.5, 1, 2, 3, 3]);
    assert.deepEqual(pauses(1, 0.5), [1.125, 1.25, 1.5, 2, 2.5, 2.5]);
  });

  it('end at the deadline also while an answer is still coming', async () => {
    const endless = new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }));
    const { client } = network([endless], undefined, 0.1);
    // As a connection does: the deadline alone keeps no process alive.
    const connection = setInterval(() => undefined, 1_000);
    await assert.rejects(client.as('t').me(), { name: 'TimeoutError' });
    clearInterval(connection);
  });

  it('end at once when the caller gives up', async () => {
    const { client } = network([problem(503, 'SERVICE_UNAVAILABLE', '2')]);
    await assert.rejects(client.as('t').me({ signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  });

  it('understand an answer that is not the service’s', async () => {
    const { client } = network([new Response('<h1>Bad gateway</h1>', { status: 502 })]);
    await assert.rejects(client.as('t').me(), (error) => {
      assert.ok(error instanceof ApiProblem);
      assert.deepEqual([error.status, error.code], [502, undefined]);
      return true;
    });
  });
});
