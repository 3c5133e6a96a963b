import { FixedClock } from '../../../test/support/in-process/fixed-clock';
import { TestApp } from '../../../test/support/in-process/test-app';

describe('/health/ready', () => {
  const clock = new FixedClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
  });
  afterAll(() => app.close());

  const ask = async () => (await fetch(`${app.baseUrl}/health/ready`)).status;
  const askAtOnce = (times: number) => Promise.all(Array.from({ length: times }, ask));

  /** Counts the questions to the database while `act` runs; `answer` may stand for its answers. */
  async function questionsDuring(act: () => Promise<void>, answer?: () => Promise<unknown>): Promise<number> {
    clock.advance({ seconds: 1 });
    const query = app.dataSource.query.bind(app.dataSource);
    let questions = 0;
    const spy = jest.spyOn(app.dataSource, 'query').mockImplementation((statement: string, ...rest) => {
      if (!statement.includes('FOR SHARE')) return query(statement, ...rest);
      questions += 1;
      return (answer?.() ?? query(statement, ...rest)) as never;
    });
    await act().finally(() => {
      spy.mockRestore();
    });
    return questions;
  }

  it('lets no stranger ask the database more than once a second', async () => {
    const asked = await questionsDuring(async () => {
      expect(new Set(await askAtOnce(200))).toEqual(new Set([200]));
      expect(await ask()).toBe(200);
      clock.advance({ seconds: 1 });
      expect(new Set(await askAtOnce(200))).toEqual(new Set([200]));
    });
    expect(asked).toBe(2);
  });

  it('holds one connection at the most while the database does not answer', async () => {
    let answer: (rows: unknown[]) => void = () => undefined;
    const asked = await questionsDuring(
      async () => {
        const early = askAtOnce(20);
        await fetch(`${app.baseUrl}/health/live`);
        clock.advance({ seconds: 10 });
        const late = askAtOnce(20);
        await fetch(`${app.baseUrl}/health/live`);
        answer([]);
        expect(new Set([...(await early), ...(await late)])).toEqual(new Set([200]));
      },
      () => new Promise((resolve) => (answer = resolve)),
    );
    expect(asked).toBe(1);
  });

  it('remembers a database that is away no longer than one that answers', async () => {
    const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const asked = await questionsDuring(
      async () => {
        expect(new Set([await ask(), await ask()])).toEqual(new Set([503]));
      },
      () => Promise.reject(gone),
    );
    expect(asked).toBe(1);
    clock.advance({ seconds: 1 });
    expect(await ask()).toBe(200);
  });
});
