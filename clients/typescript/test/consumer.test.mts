import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ApiProblem, Consumer, ConsumerServiceClient, type StoredConsumer } from 'consumer-service-client';

const MINUTE = 60;
/** Seconds since the epoch, and far from now: the machine's clock must not matter. */
const LOGIN = 1_700_000_000;

/** As the service makes them, but for the signature. */
function tokenOf(iat: number, exp = iat + 30 * MINUTE): string {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encoded({ alg: 'ES256', typ: 'customer+jwt' })}.${encoded({ sub: 'ada', iat, exp })}.signature`;
}

/** A service at a time of its own. */
class FakeService {
  time = LOGIN;
  /** What it was asked, with the token. */
  asked: [string, string][] = [];
  answerExtension = (): Response => this.json({ customerId: 'ada', token: tokenOf(this.time) });
  answerCall = (): Response => this.json({ customerId: 'ada' });
  cacheControl = 'no-store';

  readonly client = new ConsumerServiceClient({
    ...{ baseUrl: 'http://service.invalid', touchpoint: { code: 'shop', key: 'tpk_' } },
    fetch: (request) => Promise.resolve(this.answer(request)),
  });

  get paths(): string[] {
    return this.asked.map(([path]) => path);
  }

  json(body: object, status = 200): Response {
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    const date = new Date(this.time * 1000).toUTCString();
    return Response.json(body, {
      status,
      headers: { 'Content-Type': type, 'Cache-Control': this.cacheControl, Date: date },
    });
  }

  refusal(status: number, code: string): Response {
    return this.json({ type: `/docs/errors/${code}`, title: '', status, code, requestId: 'r-1' }, status);
  }

  private answer({ url, headers }: Request): Response {
    const path = new URL(url).pathname.replace('/api/v1/', '');
    this.asked.push([path, (headers.get('authorization') ?? '').replace('Bearer ', '')]);
    if (path === 'session/extend') return this.answerExtension();
    return path === 'logout' ? new Response(null, { status: 204 }) : this.answerCall();
  }
}

describe('a consumer', () => {
  let service: FakeService;
  let ada: Consumer;

  beforeEach(() => {
    service = new FakeService();
    ada = Consumer.from(service.client, { customerId: 'ada', token: tokenOf(LOGIN) });
  });

  /** Has the consumer do something so many minutes after the login. */
  const actAfter = (minutes: number, consumer = ada) => {
    service.time = LOGIN + minutes * MINUTE;
    return consumer.profile();
  };

  it('keeps the token in the first half of its life, and gets another in the second', async () => {
    await actAfter(14);
    assert.equal(ada.token, tokenOf(LOGIN));
    await actAfter(16);
    assert.equal(ada.token, tokenOf(LOGIN + 16 * MINUTE));
    assert.deepEqual(ada.expiresAt, new Date((LOGIN + 46 * MINUTE) * 1000));
    assert.deepEqual(service.paths, ['me', 'me', 'session/extend']);
  });

  it('stays signed in for as long as the calls go on', async () => {
    for (let minutes = 20; minutes <= 200; minutes += 20) await actAfter(minutes);
    assert.equal(ada.token, tokenOf(LOGIN + 200 * MINUTE));
  });

  it('asks for one extension however many calls need it', async () => {
    service.time = LOGIN + 20 * MINUTE;
    const restored = Consumer.from(service.client, ada.toJSON());
    await Promise.all([ada.profile(), ada.sessions(), restored.profile()]);
    assert.equal(service.paths.filter((path) => path === 'session/extend').length, 1);
    assert.deepEqual([ada.token, restored.token], [tokenOf(service.time), tokenOf(service.time)]);
    await actAfter(21);
    assert.deepEqual(service.asked.at(-1), ['me', tokenOf(LOGIN + 20 * MINUTE)]);
  });

  for (const [status, code] of [
    [403, 'SESSION_EXTENSION_NOT_ALLOWED'],
    [401, 'UNAUTHENTICATED'],
  ] as const) {
    it(`goes on with its token where an extension is ${code}, and does not ask again`, async () => {
      service.answerExtension = () => service.refusal(status, code);
      await actAfter(20);
      const restored = Consumer.from(service.client, JSON.parse(JSON.stringify(ada)) as StoredConsumer);
      await actAfter(29, restored);
      assert.deepEqual(service.paths, ['me', 'session/extend', 'me']);
      assert.equal(restored.token, tokenOf(LOGIN));
    });
  }

  it('asks again with the next call when the service was away', async () => {
    service.answerExtension = () => service.refusal(503, 'SERVICE_UNAVAILABLE');
    await actAfter(20);
    assert.equal(ada.token, tokenOf(LOGIN));
    service.answerExtension = () => service.json({ customerId: 'ada', token: tokenOf(service.time) });
    await actAfter(21);
    assert.equal(ada.token, tokenOf(LOGIN + 21 * MINUTE));
  });

  it('stops asking when a new token ends no later', async () => {
    service.answerExtension = () =>
      service.json({ customerId: 'ada', token: tokenOf(service.time, LOGIN + 30 * MINUTE) });
    for (const minutes of [20, 26, 29]) await actAfter(minutes);
    assert.equal(service.paths.filter((path) => path === 'session/extend').length, 1);
  });

  it('learns of the end of its session from the call, and asks for nothing more', async () => {
    service.answerCall = () => service.refusal(401, 'UNAUTHENTICATED');
    await assert.rejects(actAfter(20), (error) => error instanceof ApiProblem && error.is('UNAUTHENTICATED'));
    assert.deepEqual(service.paths, ['me']);
  });

  it('stays signed in where another refusal shows that the consumer is active', async () => {
    service.answerCall = () => service.refusal(400, 'VALIDATION_FAILED');
    await assert.rejects(actAfter(20), ApiProblem);
    assert.equal(ada.token, tokenOf(LOGIN + 20 * MINUTE));
  });

  it('is kept alive by a page that calls nothing, never after its end and never after a logout', async () => {
    await actAfter(14);
    await ada.keepAlive();
    service.time = LOGIN + 20 * MINUTE;
    await service.client.as('another').me();
    await ada.keepAlive();
    assert.equal(ada.token, tokenOf(LOGIN + 20 * MINUTE));

    service.time = LOGIN + 60 * MINUTE;
    await service.client.as('another').me();
    await ada.keepAlive();
    await actAfter(36);
    await ada.logout();
    await ada.keepAlive();
    assert.deepEqual(service.paths.slice(-2), ['session/extend', 'logout']);
    assert.equal(service.paths.filter((path) => path === 'session/extend').length, 2);
  });

  it('does not take the time from an answer that was kept on its way', async () => {
    await actAfter(20);
    service.cacheControl = 'public, max-age=86400';
    service.time = LOGIN - 86_400;
    await service.client.countries();
    assert.ok(Math.abs(service.client.now() - (LOGIN + 20 * MINUTE) * 1000) < 60_000);
  });

  it('is no consumer without a token that can be read', () => {
    for (const token of ['', 'token', 'a.b.c', `a.${Buffer.from('{}').toString('base64url')}.c`]) {
      assert.throws(() => Consumer.from(service.client, { customerId: 'ada', token }), TypeError);
    }
  });

  it('does not show its token or the key where it is logged', async () => {
    const { inspect } = await import('node:util');
    const shown = inspect([ada, service.client, service.client.as('secret')], { depth: 9 });
    for (const secret of [ada.token, 'tpk_', 'secret']) assert.ok(!shown.includes(secret));
  });
});
