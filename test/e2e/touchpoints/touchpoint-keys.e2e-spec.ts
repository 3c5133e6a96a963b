import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api/api-client';
import { codeOf, KEY, keyOf, statusFor, type TouchpointView, untilStatus } from '../../support/api/touchpoints';
import { runCli } from '../../support/service/command-line/cli';
import { TestService } from '../../support/service/test-service';

/** How long a replica may go on accepting what has been revoked (contract: at most one second). */
const REVOCATION_MS = 1_000;

describe('touchpoints', () => {
  let app: TestService;
  let replica: TestService;

  beforeAll(async () => {
    app = await TestService.shared();
    replica = await TestService.start({ replicaOf: app });
  });

  const rotate = async (client: ApiClient, overlap: string, of = app) => {
    const { key } = await of.administer<{ key: string }>(
      ...['touchpoint', 'rotate-key', codeOf(client), '--overlap', overlap],
    );
    return client.with({ [KEY]: key });
  };
  const shown = (client: ApiClient) => app.administer<TouchpointView>('touchpoint', 'show', codeOf(client));

  it('have keys that secret scanners can find, of which only a digest is stored', async () => {
    const client = await app.client();
    const key = keyOf(client);
    const [, body = '', checksum] = /^(tpk_[A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/.exec(key) ?? [];
    expect(checksum).toBe(createHash('sha256').update(body).digest('base64url').slice(0, 6));
    expect(Buffer.from(body.slice(4), 'base64url')).toHaveLength(32);

    const rows = await app.query<{ digest: Buffer; hint: string; row: string }>(
      'SELECT digest, hint, k::text AS row FROM touchpoint_key k JOIN touchpoint t ON t.id = touchpoint_id WHERE code = $1',
      [codeOf(client)],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.digest).toEqual(createHash('sha256').update(key).digest());
    expect(rows[0]?.hint).toBe(key.slice(-4));
    for (const part of [key, body.slice(4), body.slice(4, 20)]) expect(rows[0]?.row).not.toContain(part);
  });

  it('are refused by every replica within a second of being disabled, and accepted again when enabled', async () => {
    const client = await app.client();
    const everywhere = [client, client.at(replica.baseUrl)];
    for (const there of everywhere) expect(await statusFor(there)).toBe(200);

    await app.administer('touchpoint', 'disable', codeOf(client));
    await sleep(REVOCATION_MS / 2);
    // Being asked meanwhile must not make a replica believe any longer.
    for (const there of everywhere) await statusFor(there);
    await sleep(REVOCATION_MS / 2);
    for (const there of everywhere) expect(await statusFor(there)).toBe(401);

    await app.administer('touchpoint', 'enable', codeOf(client));
    for (const there of everywhere) await untilStatus(there, 200);
  });

  it('lose the old key within a second when it is replaced without an overlap', async () => {
    const old = await app.client();
    expect(await statusFor(old)).toBe(200);
    const renewed = await rotate(old, '0');
    await sleep(REVOCATION_MS);
    for (const { baseUrl } of [app, replica]) {
      expect(await statusFor(old.at(baseUrl))).toBe(401);
      expect(await statusFor(renewed.at(baseUrl))).toBe(200);
    }
  });

  it('have two live keys during a rotation, and never more, however often they rotate', async () => {
    const first = await app.client();
    const second = await rotate(first, '1h');
    await untilStatus(second, 200);
    expect(await statusFor(first)).toBe(200);

    const third = await rotate(second, '1h');
    await untilStatus(third, 200);
    expect([await statusFor(first), await statusFor(second)]).toEqual([401, 200]);

    const fourth = await rotate(third, '1h');
    await untilStatus(fourth, 200);
    expect([await statusFor(first), await statusFor(second), await statusFor(third)]).toEqual([401, 401, 200]);
    expect((await shown(first)).keys).toHaveLength(2);

    const fifth = await rotate(fourth, '0');
    await untilStatus(fifth, 200);
    expect([await statusFor(third), await statusFor(fourth)]).toEqual([401, 401]);
  });

  it('lose the old key when the overlap ends, and keep the new one', async () => {
    const timed = await TestService.withStoppedClock();
    const old = await timed.client();
    const renewed = await rotate(old, '600s', timed);
    expect(await statusFor(old)).toBe(200);
    await timed.clock.advance({ seconds: 600 });
    await untilStatus(old, 401);
    expect(await statusFor(renewed)).toBe(200);
  });

  it('have one row for each key when they rotate many times at once', async () => {
    const client = await app.client();
    await Promise.all(
      Array.from({ length: 4 }, () => runCli(app.env, 'touchpoint', 'rotate-key', codeOf(client), '--overlap', '1h')),
    );
    const { keys } = await shown(client);
    expect(keys.map(({ expiresAt }) => expiresAt === null).sort()).toEqual([false, true]);
  });

  it('are known to have been used, by key', async () => {
    const old = await app.client();
    const renewed = await rotate(old, '1h');
    const another = await TestService.start({ replicaOf: app });
    expect(await statusFor(renewed.at(another.baseUrl))).toBe(200);
    // What is written behind the requests is written at the latest when the process stops.
    await another.close();
    const { keys } = await shown(old);
    const used = (key: string) => keys.find(({ hint }) => hint === key.slice(-4))?.lastUsedAt;
    expect(used(keyOf(renewed))).toMatch(/^2.*Z$/);
    expect(used(keyOf(old))).toBeNull();
  });
});
