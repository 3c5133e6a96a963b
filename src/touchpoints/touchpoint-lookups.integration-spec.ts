import { setTimeout } from 'node:timers/promises';
import type { ApiClient } from '../../test/support/api/api-client';
import { CODE, KEY, keyOf, statusFor } from '../../test/support/api/touchpoints';
import { FixedClock } from '../../test/support/in-process/fixed-clock';
import { TestApp } from '../../test/support/in-process/test-app';
import { Touchpoint } from './touchpoint.entity';

const STRANGERS = 200;

describe('touchpoints', () => {
  const clock = new FixedClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
  });
  afterAll(() => app.close());

  it('are asked for by one statement at a time, however many codes strangers make up', async () => {
    const client = await app.client();
    const repository = app.dataSource.getRepository(Touchpoint);
    const find = repository.find.bind(repository);
    let [asking, mostAtOnce] = [0, 0];
    const spy = jest.spyOn(repository, 'find').mockImplementation(async (options) => {
      mostAtOnce = Math.max(mostAtOnce, (asking += 1));
      // Long enough for the others to have come meanwhile, on any machine.
      await setTimeout(50);
      return find(options).finally(() => (asking -= 1));
    });
    const strangers = Array.from({ length: STRANGERS }, (_, index) => client.with({ [CODE]: `made-up-${index}` }));
    const statuses = await Promise.all([client, ...strangers].map(statusFor)).finally(() => {
      spy.mockRestore();
    });
    expect(statuses).toEqual([200, ...strangers.map(() => 401)]);
    expect(mostAtOnce).toBe(1);
  });

  /** How often the database is asked while a credential is guessed at, times over. */
  async function lookUpsOf(guess: ApiClient): Promise<number> {
    const find = jest.spyOn(app.dataSource.getRepository(Touchpoint), 'find');
    for (let time = 0; time < 20; time += 1) expect((await guess.get('/api/v1/reference/countries')).status).toBe(401);
    const times = find.mock.calls.length;
    find.mockRestore();
    return times;
  }

  it('take as many looks at the database whether the guessed touchpoint exists, is in use, or is made up', async () => {
    const [idle, other] = [await app.client(), await app.client()];
    const busy = await app.client();
    expect((await busy.get('/api/v1/reference/countries')).status).toBe(200);
    const guesses = [
      idle.with({ [KEY]: keyOf(other) }),
      busy.with({ [KEY]: keyOf(other) }),
      other.with({ [CODE]: 'nobody' }),
    ];
    const looks: number[] = [];
    for (const guess of guesses) looks.push(await lookUpsOf(guess));
    expect(looks).toEqual([1, 1, 1]);
    // A refusal rests on nothing older than that.
    clock.advance({ seconds: 0.05 });
    for (const guess of guesses) expect(await lookUpsOf(guess)).toBe(1);
    expect((await busy.get('/api/v1/reference/countries')).status).toBe(200);
  });
});
