import { randomUUID } from 'node:crypto';
import { TestService } from '../../support/service/test-service';

const TIMEOUT_MS = 120_000;

interface Page {
  events: { id: string; details: { n: number } }[];
  /** The option that asks for the next page. */
  next: string[];
}

describe('`audit list`', () => {
  const touchpoint = `paged-${randomUUID()}`;
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.shared();
    const day = new Date(Date.now() - 30 * 24 * 3_600_000).toISOString().slice(0, 10);
    // Seven at a time share their microsecond, and twenty their millisecond.
    await app.query(
      `INSERT INTO audit_event (id, occurred_at, type, touchpoint, details)
       SELECT gen_random_uuid(), $2::timestamptz + n / 7 * interval '50 microseconds', 'test', $1,
         jsonb_build_object('n', n) FROM generate_series(0, 99) n`,
      [touchpoint, day],
    );
    await app.query(
      `INSERT INTO audit_event (id, occurred_at, type, touchpoint, details)
       SELECT gen_random_uuid(), $1::timestamptz, 'test', 'another', '{"n": -1}' FROM generate_series(0, 99)`,
      [day],
    );
  });

  const list = (...args: string[]) => app.cli('audit', 'list', '--touchpoint', touchpoint, ...args);
  const page = async (...args: string[]): Promise<Page> => {
    const { exitCode, stdout, stderr } = await list(...args, '--json');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^(There are (older|newer) events: add --(before|after) [0-9a-f-]{36}\n)?$/,
      ) as string,
    });
    return {
      events: JSON.parse(stdout) as Page['events'],
      next: /--(?:before|after) [0-9a-f-]{36}/.exec(stderr)?.[0].split(' ') ?? [],
    };
  };
  /** Page after page, as each of them says. */
  const follow = async (first: Page, ...args: string[]): Promise<Page['events'][]> => {
    const pages = [first.events];
    for (let next = first.next; next.length > 0;) {
      const following = await page(...args, ...next);
      pages.push(following.events);
      next = following.next;
    }
    return pages;
  };

  it(
    'comes to every event once, page by page, backwards from the newest and forwards from any',
    async () => {
      const whole = await page();
      expect(whole.next).toEqual([]);
      expect(whole.events).toHaveLength(100);

      const newest = await page('--limit', '30');
      expect(newest.events).toEqual(whole.events.slice(-30));
      const backwards = await follow(newest, '--limit', '30');
      expect(backwards.map(({ length }) => length)).toEqual([30, 30, 30, 10]);
      expect(backwards.toReversed().flat()).toEqual(whole.events);

      const oldest = whole.events[0]?.id ?? '';
      const forwards = await follow(await page('--limit', '33', '--after', oldest), '--limit', '33');
      expect(forwards.map(({ length }) => length)).toEqual([33, 33, 33]);
      expect(forwards.flat()).toEqual(whole.events.slice(1));

      const between = await page('--after', oldest, '--before', whole.events[3]?.id ?? '');
      expect(between).toEqual({ events: whole.events.slice(1, 3), next: [] });
    },
    TIMEOUT_MS,
  );

  it(
    'says so when the event to begin at is unknown, and bounds a page',
    async () => {
      const unknown = randomUUID();
      const wrong: [string[], string][] = [
        [['--after', unknown], `There is no event ${unknown} in the audit trail\n`],
        [['--before', unknown], `There is no event ${unknown} in the audit trail\n`],
        [['--after', 'yesterday'], '--after must be the id of an event\n'],
        [['--limit', '10001'], '--limit must be a whole number from 1 to 10000\n'],
      ];
      for (const [args, stderr] of wrong) expect(await list(...args)).toEqual({ exitCode: 1, stdout: '', stderr });
    },
    TIMEOUT_MS,
  );
});
