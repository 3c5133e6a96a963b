import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { projects as ours } from '../../../jest.config.cjs';

const ROOT = join(__dirname, '../../..');

interface Report {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

/** Runs a file in one process once for each of these projects. */
function runAgain(file: string, projects: string[]): Promise<Report> {
  const config = {
    projects: projects.map((displayName) => ({
      ...(ours?.[0] as object),
      rootDir: ROOT,
      displayName,
      testMatch: [join(ROOT, file)],
    })),
  };
  const args = [require.resolve('jest/bin/jest'), '--runInBand', '--json', '--config', JSON.stringify(config)];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: ROOT }, (_, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr));
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}

describe('an error that nobody awaits', () => {
  it('fails its test, in whichever file of a process', async () => {
    const { testResults } = await runAgain('test/fixtures/unawaited.ts', ['first', 'second']);
    const failures = testResults.map(({ assertionResults }) =>
      assertionResults.map(({ status, failureMessages: [message = ''] }) => [status, message.split('\n', 1)[0]]),
    );
    const each = [
      ['failed', 'Error: nobody awaits this'],
      ['failed', 'Error: nobody catches this'],
    ];
    expect(failures).toEqual([each, each]);
  });
});
