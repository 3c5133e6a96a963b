import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiProblem, Consumer, ConsumerServiceClient, type Registration } from 'consumer-service-client';
import { type Service, startService } from './service.mjs';

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'hold fast to the analytical engine';

const person = (email: string): Registration => ({
  ...{ type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email, password: PASSWORD },
});

const refusedWith = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code;

describe('the client', () => {
  let service: Service;
  let client: ConsumerServiceClient;

  before(async () => {
    service = await startService();
    const touchpoint = service.touchpoint('--session-max', '8h');
    client = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint });
  });
  after(() => service.stop());

  const signedIn = async (email: string) => {
    await client.register(person(email));
    return client.as((await client.login({ identifier: email, password: PASSWORD })).token);
  };

  it('replaces a forgotten password by the code that was sent', async () => {
    const email = 'forgetful@example.com';
    const before = await signedIn(email);
    const { recoveryId, destination } = await client.forgotPassword(email, { consumerIp: '203.0.113.7' });
    assert.equal(destination, 'f***@e***.com');
    await assert.rejects(client.forgotPassword(email), refusedWith('RESEND_TOO_SOON'));

    const code = await service.codeSentTo(email);
    const reset = { recoveryId, newPassword: NEW_PASSWORD };
    const wrong = code === '00000000' ? '00000001' : '00000000';
    await assert.rejects(client.resetPassword({ ...reset, code: wrong }), refusedWith('CODE_INVALID'));
    await client.resetPassword({ ...reset, code });
    await assert.rejects(before.me(), refusedWith('UNAUTHENTICATED'));
    await assert.rejects(client.login({ identifier: email, password: PASSWORD }), refusedWith('INVALID_CREDENTIALS'));
    await client.login({ identifier: email, password: NEW_PASSWORD });
  });

  it('resets once however often it repeats the call with the same key', async () => {
    const email = 'twice@example.com';
    await signedIn(email);
    const idempotencyKey = 'forgot-twice';
    const [first, second] = await Promise.all([1, 2].map(() => client.forgotPassword(email, { idempotencyKey })));
    assert.deepEqual(first, second);
    const body = {
      recoveryId: first?.recoveryId ?? '',
      code: await service.codeSentTo(email),
      newPassword: NEW_PASSWORD,
    };
    for (let time = 0; time < 2; time += 1) await client.resetPassword(body, { idempotencyKey: 'reset-twice' });
  });

  it('extends a session, lists the sessions and ends one', async () => {
    const email = 'active@example.com';
    const first = await signedIn(email);
    const extended = client.as((await first.extend()).token);
    const second = client.as((await client.login({ identifier: email, password: PASSWORD })).token);

    const [other, ...more] = (await extended.sessions()).filter(({ current }) => !current);
    assert.ok(other);
    // The registration opened a session too.
    assert.equal(more.length, 1);
    await extended.endSession(other.sessionId);
    await assert.rejects(second.me(), refusedWith('UNAUTHENTICATED'));
    await first.me();
    await assert.rejects(extended.endSession('00000000-0000-4000-8000-000000000000'), refusedWith('NOT_FOUND'));

    const plain = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint: service.touchpoint() });
    const { token } = await plain.login({ identifier: email, password: PASSWORD });
    await assert.rejects(plain.as(token).extend(), refusedWith('SESSION_EXTENSION_NOT_ALLOWED'));
  });

  it('does for a signed-in consumer what a website needs, kept in its store between two requests', async () => {
    const [email, next] = ['website@example.com', 'second@example.com'];
    await client.register(person(email));
    let stored = JSON.stringify(Consumer.from(client, await client.login({ identifier: email, password: PASSWORD })));
    const restored = () => Consumer.from(client, JSON.parse(stored) as { customerId: string; token: string });

    const ada = restored();
    const { profile, etag } = await ada.profile();
    assert.deepEqual([profile.customerId, profile.email], [ada.customerId, email]);
    const changed = await ada.updateProfile({ firstName: 'Augusta', email: next }, { ifMatch: etag ?? '' });
    assert.deepEqual([changed.profile.firstName, changed.profile.email], ['Augusta', next]);
    await assert.rejects(
      ada.updateProfile({ firstName: 'Ada' }, { ifMatch: etag ?? '' }),
      refusedWith('PRECONDITION_FAILED'),
    );
    assert.equal((await ada.requestVerification('email')).channel, 'email');
    assert.equal((await ada.confirmVerification('email', await service.codeSentTo(next))).verified, true);
    await ada.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }, { consumerIp: '203.0.113.7' });
    stored = JSON.stringify(ada);

    const elsewhere = Consumer.from(client, await client.login({ identifier: next, password: NEW_PASSWORD }));
    const others = (await restored().sessions()).filter(({ current }) => !current);
    assert.equal(others.length, 1);
    await restored().endSession(others[0]?.sessionId ?? '');
    await assert.rejects(elsewhere.profile(), refusedWith('UNAUTHENTICATED'));
    const hours = (restored().expiresAt.getTime() - client.now()) / 3_600_000;
    assert.ok(hours > 0.4 && hours <= 0.51);
    await restored().logout();
    await assert.rejects(restored().profile(), refusedWith('UNAUTHENTICATED'));
  });
});
