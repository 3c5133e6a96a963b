import { RetryPolicy } from './retry-policy';

const DAY_SECONDS = 86_400;

/** The delays of a message that fails for as long as it is tried, when every wait is this part of the longest. */
function delays(part: number, refused: boolean): number[] {
  const policy = new RetryPolicy();
  const all: number[] = [];
  for (let ageSeconds = 0; ;) {
    const delay = policy.nextDelaySeconds({ attempts: all.length + 1, ageSeconds, refused });
    if (delay === null) return all;
    all.push(delay);
    ageSeconds += delay * part;
  }
}

describe('a message that fails', () => {
  it.each([0.5, 0.75, 1])('is tried for about a day, ever more seldom, whatever the chance (%d)', (part) => {
    const all = delays(part, false);
    expect(all.slice(0, 4)).toEqual([2, 4, 8, 16]);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    const seconds = all.reduce((sum, delay) => sum + delay * part, 0);
    expect(seconds).toBeGreaterThanOrEqual(DAY_SECONDS);
    expect(seconds).toBeLessThan(DAY_SECONDS + 3_600);
  });

  it('is tried five times when it is refused', () => {
    expect(delays(1, true)).toHaveLength(4);
  });
});
