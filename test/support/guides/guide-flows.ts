import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../api/api-client';
import { expectStatus, PASSWORD, register, type SessionBody } from '../api/consumers';
import { login, NEW_PASSWORD } from '../api/recovery';
import type { SubscriberView } from '../api/subscribers';
import type { TestService } from '../service/test-service';

/** One run of a program: whom it is about, and the touchpoint that it acts for. */
export interface Scene {
  app: TestService;
  client: ApiClient;
  email: string;
  /** The code of the touchpoint or subscriber that the guide has an administrator create. */
  code: string;
  /** Where the program keeps what it keeps. */
  directory: string;
}

interface Flow {
  /** What the program does. */
  does: string;
  /** What the consumer types. */
  typed?: string;
  /** Makes what must be there before; what it answers checks that the thing has happened. */
  prepare: (scene: Scene) => Promise<() => Promise<void>>;
}

const ME = '/api/v1/me';

const profileOf = async ({ client, email }: Scene, password = PASSWORD) => {
  const { token } = expectStatus(200, await login(client, email, password));
  return (await client.as(token).get(ME)).body;
};
const expectOldPasswordRefused = async ({ client, email }: Scene) => {
  expect((await login(client, email, PASSWORD)).status).toBe(401);
};

/** By the names of the guides. */
export const FLOWS: Record<string, Flow> = {
  register: {
    does: 'registers a consumer, who can log in',
    prepare: (scene) =>
      Promise.resolve(async () => {
        expect(await profileOf(scene)).toMatchObject({ email: scene.email, emailVerified: false });
      }),
  },
  'verified-registration': {
    does: 'registers a consumer with a proven address, after a mistyped code',
    typed: '111111\n424242\n',
    prepare: (scene) =>
      Promise.resolve(async () => {
        expect(await profileOf(scene)).toMatchObject({ email: scene.email, emailVerified: true });
      }),
  },
  login: {
    does: 'logs a consumer in, changes the password and ends every session',
    prepare: async (scene) => {
      await register(scene.client, { email: scene.email });
      return async () => {
        await expectOldPasswordRefused(scene);
        const { token } = expectStatus(200, await login(scene.client, scene.email, NEW_PASSWORD));
        expect((await scene.client.as(token).get<object[]>(`${ME}/sessions`)).body).toHaveLength(1);
      };
    },
  },
  'forgot-password': {
    does: 'lets a consumer choose a new password, after a mistyped code',
    typed: '11111111\n42424242\n',
    prepare: async (scene) => {
      await register(scene.client, { email: scene.email });
      return async () => {
        await expectOldPasswordRefused(scene);
        expect((await profileOf(scene, NEW_PASSWORD)).emailVerified).toBe(true);
      };
    },
  },
  'stay-signed-in': {
    does: 'keeps a consumer signed in for longer than a token is valid, and signs them out elsewhere',
    prepare: async (scene) => {
      // The clock of another touchpoint stands, so nothing but the program ends that session.
      const elsewhere = await scene.app.client();
      const { token } = await register(elsewhere, { email: scene.email });
      return async () => {
        expect((await elsewhere.as(token).get(ME)).status).toBe(401);
        const own = expectStatus(200, await login(scene.client, scene.email, PASSWORD));
        const { body } = await scene.client.as(own.token).get<{ current: boolean }[]>(`${ME}/sessions`);
        expect(body.map(({ current }) => current)).toEqual([true, false]);
      };
    },
  },
  identify: {
    does: 'registers a consumer whom an identity provider knows',
    prepare: ({ client, email }) =>
      Promise.resolve(async () => {
        const user = { sub: `user of ${email}`, email, emailVerified: true, givenName: 'Ada', familyName: 'Lovelace' };
        const { body } = await client.post<{ assertion: string }>('/sandbox/assertions', user);
        const { token } = expectStatus(200, await client.post<SessionBody>('/api/v1/identify', body));
        expect((await client.as(token).get(ME)).body).toMatchObject({ email, emailVerified: true, hasPassword: false });
      }),
  },
  profile: {
    does: 'changes a profile and has the address proven, after a mistyped code',
    typed: '111111\n424242\n',
    prepare: async (scene) => {
      await register(scene.client, { email: scene.email });
      return async () => {
        const address = expect.objectContaining({ city: 'London', country: 'GB' }) as object;
        expect(await profileOf(scene)).toMatchObject({ locale: 'en-GB', address, emailVerified: true });
      };
    },
  },
  events: {
    does: 'keeps files in step with a change and an erasure, and tells how far it is',
    prepare: async ({ app, client, code, directory }) => {
      const ada = await register(client);
      await client.as(ada.token).patch(ME, { firstName: 'Augusta' });
      const bob = await register(client);
      await app.administer('consumer', 'erase', bob.customerId, '--yes');
      return async () => {
        const files = readdirSync(join(directory, 'customers'));
        expect(files).toContain(`${ada.customerId}.json`);
        expect(files).not.toContain(`${bob.customerId}.json`);
        const kept = readFileSync(join(directory, 'customers', `${ada.customerId}.json`), 'utf8');
        expect(JSON.parse(kept)).toMatchObject({ customerId: ada.customerId, firstName: 'Augusta' });
        const { acknowledged } = await app.administer<SubscriberView>('subscriber', 'show', code);
        expect(readFileSync(join(directory, 'position'), 'utf8').trim()).toBe(acknowledged);
      };
    },
  },
};

/** What the programs must explain, each to the person who can do something about it: guide, request, code, some of the words. */
export const REFUSALS = [
  ['register', 'POST /api/v1/register', 'IDENTIFIER_TAKEN', 'offer a login'],
  ['register', 'POST /api/v1/register', 'VALIDATION_FAILED', 'firstName'],
  ['verified-registration', 'POST /api/v1/register', 'RESEND_TOO_SOON', 'in 2 seconds'],
  ['login', 'POST /api/v1/login', 'INVALID_CREDENTIALS', 'or the password is wrong'],
  ['login', 'POST /api/v1/login', 'LOGIN_THROTTLED', 'wait 2 seconds'],
  ['login', 'POST /api/v1/password/change', 'CURRENT_PASSWORD_INVALID', 'present password is wrong'],
  ['forgot-password', 'POST /api/v1/password/forgot', 'RESEND_TOO_SOON', 'in 2 seconds'],
  ['stay-signed-in', 'POST /api/v1/session/extend', 'SESSION_EXTENSION_NOT_ALLOWED', '--session-max'],
  ['identify', 'POST /api/v1/identify', 'ASSERTION_REPLAYED', 'to the provider again'],
  ['profile', 'POST /api/v1/verifications/email/request', 'RESEND_TOO_SOON', 'in 2 seconds'],
] as const;

/** What the programs must get over by themselves: guide, request, what happens to the first ones. */
export const SETBACKS = [
  ['register', 'POST /api/v1/register', ['SERVICE_UNAVAILABLE']],
  ['register', 'POST /api/v1/register', ['drop']],
  ['profile', 'PATCH /api/v1/me', ['PRECONDITION_FAILED']],
] as const;
