import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import type { ProblemBody } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const FROM = { home: '203.0.113.1', away: '198.51.100.1', other: '192.0.2.1' };
type Place = keyof typeof FROM | 'nowhere';
type Kind = 'email' | 'phone' | 'customerId';

/** So many guesses at an identifier from a place, or so many minutes without one. */
type Step = [count: number, from: Place, by?: Kind] | [minutes: number];

describe('the limits of guessing', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  const at = (place: Place, by = client) => (place === 'nowhere' ? by : by.with({ 'X-Consumer-IP': FROM[place] }));

  const login = (from: ApiClient, identifier: string, password = PASSWORD) =>
    from.post<SessionBody & ProblemBody>('/api/v1/login', { identifier, password });

  /** A consumer who has logged in from home before. */
  async function owner(): Promise<Record<Kind, string>> {
    const phone = newPhone();
    const { email, customerId } = await register(client, { phone });
    expect((await login(at('home'), email)).status).toBe(200);
    return { email, phone, customerId };
  }

  const nobody = (): Record<Kind, string> => ({
    email: newPerson().email,
    phone: newPhone(),
    customerId: randomUUID(),
  });

  /** What is seen elsewhere than at home. */
  async function seen(identifiers: Record<Kind, string>, steps: Step[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const [count, from, by = 'email'] of steps) {
      if (from === undefined) {
        await app.clock.advance({ minutes: count });
        continue;
      }
      for (let guess = 0; guess < count; guess += 1) {
        const { status, body, headers } = await login(at(from), identifiers[by], 'a wrong guess');
        const shown = [status, { ...body, requestId: '' }, headers.get('Retry-After'), headers.get('WWW-Authenticate')];
        if (from !== 'home') answers.push(shown);
      }
    }
    return answers;
  }

  const guesses = (count: number, from: ApiClient) =>
    Promise.all(Array.from({ length: count }, () => login(from, newPerson().email)));

  const failAHundredTimes = async (from: ApiClient) => {
    expect((await guesses(100, from)).map(({ status }) => status)).toEqual(Array(100).fill(401));
    expect((await login(from, newPerson().email)).status).toBe(429);
  };

  afterEach(() => app.clock.advance({ minutes: 15 }));

  describe('show nobody elsewhere whether there is an account', () => {
    it.each<[string, Step[]]>([
      [
        'after eleven failures at home',
        [
          [11, 'home'],
          [12, 'away'],
        ],
      ],
      [
        'after eleven failures at home, from no address',
        [
          [11, 'home'],
          [12, 'nowhere'],
        ],
      ],
      [
        'after some failures at home',
        [
          [4, 'home'],
          [8, 'away'],
          [1, 'other'],
          [2, 'nowhere'],
        ],
      ],
      [
        'while strangers and the owner take turns',
        [
          [3, 'away'],
          [3, 'home'],
          [3, 'other'],
          [3, 'home'],
          [3, 'away'],
        ],
      ],
      [
        'after a stranger’s failures and then some at home',
        [
          [10, 'away'],
          [5, 'home'],
          [5, 'other'],
          [2, 'home'],
        ],
      ],
      ['when the window at home began first', [[3, 'home'], [7], [5, 'away'], [9], [12, 'other']]],
      ['when the window at home began last', [[10, 'away'], [10], [12, 'home'], [6], [2, 'home'], [11, 'away']]],
      [
        'by customer id after failures by e-mail address',
        [
          [11, 'home'],
          [11, 'away', 'customerId'],
        ],
      ],
      [
        'by phone number after failures by each',
        [
          [6, 'home', 'customerId'],
          [6, 'home', 'phone'],
          [7, 'away', 'phone'],
        ],
      ],
      [
        'by e-mail address after failures by customer id',
        [
          [11, 'home', 'customerId'],
          [11, 'nowhere'],
        ],
      ],
    ])('%s', async (_, steps) => {
      const existing = await seen(await owner(), steps);
      await app.clock.advance({ minutes: 15 });
      expect(existing).toEqual(await seen(nobody(), steps));
    });

    it('after failures at a home address that has used up its own limit', async () => {
      const [existing, unknown] = [await owner(), nobody()];
      await failAHundredTimes(at('home'));
      const steps: Step[] = [
        [5, 'home'],
        [11, 'away'],
      ];
      expect(await seen(existing, steps)).toEqual(await seen(unknown, steps));
    });

    it('by what the owner does rightly at home', async () => {
      const [existing, unknown] = [await owner(), nobody()];
      const atHome = async () => {
        const answers = await Promise.all(Array.from({ length: 9 }, () => login(at('home'), existing.email)));
        expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
      };
      const parts: Step[][] = [
        [[9, 'away']],
        [
          [1, 'other'],
          [1, 'away'],
        ],
      ];
      for (const part of parts) {
        await atHome();
        await app.clock.advance({ minutes: 5 });
        expect(await seen(existing, part)).toEqual(await seen(unknown, part));
      }
    });
  });

  describe('of an address', () => {
    it('refuse no account that knows the address, but after ten failures of its own', async () => {
      const { email } = await owner();
      await failAHundredTimes(at('home'));
      expect((await login(at('home'), email)).status).toBe(200);
      for (let guess = 0; guess < 10; guess += 1) {
        expect((await login(at('home'), email, 'a wrong guess')).status).toBe(401);
      }
      expect((await login(at('home'), email)).status).toBe(429);
      expect((await login(at('away'), email)).status).toBe(200);
    });

    it('refuse no password change of a consumer who knows the address', async () => {
      const { email } = await owner();
      const { body } = await login(at('home'), email);
      await failAHundredTimes(at('home'));
      const change = { currentPassword: PASSWORD, newPassword: `${PASSWORD} again` };
      const { status } = await at('home').as(body.token).post('/api/v1/password/change', change);
      expect(status).toBe(204);
    });

    it('are those of one touchpoint', async () => {
      const { email } = await register(client);
      const elsewhere = await app.client();
      await failAHundredTimes(at('away', elsewhere));
      expect((await login(at('away'), email)).status).toBe(200);
    });

    it('count the failures of accounts that know it', async () => {
      for (let account = 0; account < 2; account += 1) {
        const { email } = await owner();
        for (let guess = 0; guess < 5; guess += 1) await login(at('home'), email, 'a wrong guess');
      }
      expect((await guesses(90, at('home'))).map(({ status }) => status)).toEqual(Array(90).fill(401));
      expect((await login(at('home'), newPerson().email)).status).toBe(429);
    });
  });
});
