import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { runCli } from '../support/service/command-line/cli';
import { importRecords, writeLines } from '../support/import/file';
import { TestService } from '../support/service/test-service';

const FEW = 1_000;
const MANY = 100_000;
const MAX_GROWTH_MIB = 50;
/** Garbage may fill a larger heap, which says nothing about what is kept. */
const HEAP_MIB = 96;
const REPORT_PEAK_MEMORY = join(__dirname, '../support/import/report-peak-memory.cjs');

describe('an import and export of 100,000 consumers', () => {
  let app: TestService;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'import-'));
    app = await TestService.start();
  }, 90_000);
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const path = (name: string) => join(directory, name);
  /** Peak resident memory in MiB, and seconds, of a command that must succeed. */
  const measure = async (...args: string[]) => {
    const startedMs = Date.now();
    const env = { ...app.env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB} --require ${REPORT_PEAK_MEMORY}` };
    const { exitCode, stderr } = await runCli(env, 'consumer', ...args);
    const seconds = (Date.now() - startedMs) / 1000;
    if (exitCode !== 0) throw new Error(stderr);
    process.stderr.write(`${args[0]}: ${seconds.toFixed(1)} s, ${stderr.trim().split('\n').at(-1)}\n`);
    return Number(/VmHWM:\s+(\d+) kB/.exec(stderr)?.[1]) / 1024;
  };

  it('takes hardly more memory than one of 1,000, and gives every record back', async () => {
    await writeLines(path('few'), importRecords(FEW));
    const few = [await measure('import', path('few')), await measure('export-all', path('few.out'))];
    await app.query('DELETE FROM consumer');

    await writeLines(path('many'), importRecords(MANY));
    const many = [await measure('import', path('many')), await measure('export-all', path('many.out'))];
    for (const [index, peak] of many.entries()) expect(peak - Number(few[index])).toBeLessThan(MAX_GROWTH_MIB);

    // The ids of the records grow, and an export is in the order of ids.
    const given = lines(path('many'));
    let equal = 0;
    for await (const line of lines(path('many.out'))) {
      const { value } = (await given.next()) as { value: string };
      if (isDeepStrictEqual(JSON.parse(line), JSON.parse(value))) equal += 1;
    }
    expect([equal, (await given.next()).done]).toEqual([MANY, true]);
  }, 1_200_000);
});

const lines = (path: string): AsyncIterableIterator<string> =>
  createInterface({ input: createReadStream(path), crlfDelay: Infinity })[Symbol.asyncIterator]();
