import { randomUUID } from 'node:crypto';
import { TestService } from '../../support/service/test-service';

describe('the session settings of a touchpoint', () => {
  let app: TestService;
  const code = `session-${randomUUID()}`;

  beforeAll(async () => {
    app = await TestService.shared();
    await app.administer('touchpoint', 'create', '--code', code);
  });

  const settingsAfter = async (...options: string[]) => {
    const { sessionMax, sessionIdle } = await app.administer<{ sessionMax: string; sessionIdle: string }>(
      ...['touchpoint', 'update', code, ...options],
    );
    return [sessionMax, sessionIdle];
  };
  const refusalOf = async (...options: string[]) => {
    const { exitCode, stderr } = await app.cli('touchpoint', 'update', code, ...options);
    return [exitCode, stderr.trim()];
  };

  it('are set, shown as durations, and reset', async () => {
    expect(await settingsAfter()).toEqual(['default', 'default']);
    expect(await settingsAfter('--session-max', '36h')).toEqual(['36h', 'default']);
    expect(await settingsAfter('--session-idle', '90m')).toEqual(['36h', '90m']);
    expect(await settingsAfter('--session-max', '90d', '--session-idle', '168h')).toEqual(['90d', '7d']);
    expect(await settingsAfter('--session-max', '30m', '--session-idle', '5m')).toEqual(['30m', '5m']);
    expect(await settingsAfter('--session-max', 'default', '--session-idle', 'default')).toEqual([
      'default',
      'default',
    ]);
  });

  it('are refused outside their bounds, and then nothing changes', async () => {
    await settingsAfter('--session-max', '8h', '--session-idle', '1h');
    for (const max of ['29m', '91d', '0', 'never']) expect((await refusalOf('--session-max', max))[0]).toBe(1);
    expect(await refusalOf('--session-max', '29m')).toEqual([
      1,
      '--session-max must be 30m to 90d, or default: sessions cannot be extended',
    ]);
    for (const idle of ['4m', '91d', '-5m']) expect((await refusalOf('--session-idle', idle))[0]).toBe(1);
    const tooLong = '--session-idle must be at most --session-max, and needs one';
    expect(await refusalOf('--session-idle', '9h')).toEqual([1, tooLong]);
    expect(await refusalOf('--session-max', '30m')).toEqual([1, tooLong]);
    expect(await refusalOf('--session-max', 'default')).toEqual([1, tooLong]);
    expect(await settingsAfter()).toEqual(['8h', '1h']);
  });
});
