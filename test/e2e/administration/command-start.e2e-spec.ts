import { join } from 'node:path';
import { runCli } from '../../support/service/command-line/cli';
import { TestService } from '../../support/service/test-service';

const HOOK = join(__dirname, '../../fixtures/loaded-files-hook.cjs');

/** What answers requests, and describes and limits them. */
const OF_REQUESTS = /controller|\.guard|@nestjs\/(swagger|throttler)|class-validator|es-toolkit|rate-limiter-flexible/;

describe('a command that opens the database', () => {
  it.each([
    ['audit', 'list'],
    ['db', 'status'],
    ['message', 'list'],
    ['operator', 'list'],
    ['subscriber', 'list'],
    ['touchpoint', 'list'],
  ])('loads nothing that only the service needs: `%s %s`', async (...command) => {
    const { env } = await TestService.shared();
    const { exitCode, stderr } = await runCli({ ...env, NODE_OPTIONS: `--require=${HOOK}` }, ...command);
    expect(exitCode).toBe(0);
    const loaded = JSON.parse(stderr.slice(stderr.lastIndexOf('\n["') + 1)) as string[];
    expect(loaded.filter((file) => file.includes('typeorm'))).not.toEqual([]);
    expect(loaded.filter((file) => OF_REQUESTS.test(file))).toEqual([]);
  });
});
