import { Clock } from '../platform/clock';
import { Progress } from './progress';

class HourlyClock extends Clock {
  private hours = 0;

  override monotonicMs(): number {
    return 3_600_000 * this.hours++;
  }
}

describe('the progress of a long command', () => {
  const { isTTY } = process.stderr;
  let written: jest.SpyInstance;

  beforeEach(() => {
    written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    process.stderr.isTTY = isTTY;
    written.mockRestore();
  });

  const show = (isTerminal: boolean): unknown => {
    process.stderr.isTTY = isTerminal;
    const progress = new Progress('lines', new HourlyClock());
    for (const part of [0.1, 0.5, 0.9]) progress.update({ count: 1_000 * part, part });
    progress.end();
    return written.mock.calls.length;
  };

  it('is never in a pipe, however long the command takes', () => {
    expect(show(false)).toBe(0);
  });

  it('is on a terminal, until it ends', () => {
    expect(show(true)).toBe(4);
    expect(written).toHaveBeenLastCalledWith('\r\u001b[K');
  });
});
