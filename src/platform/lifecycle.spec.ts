import { Clock } from './clock';
import { AppConfig } from './settings/config';
import { Lifecycle } from './lifecycle';

/** Whose durations a test decides. */
class Stopwatch extends Clock {
  ms = 1_000;

  override monotonicMs(): number {
    return this.ms;
  }
}

describe('a process that ends', () => {
  it('gives all its work together half of the grace period, from when the first asks', () => {
    const watch = new Stopwatch();
    const lifecycle = new Lifecycle(new AppConfig({ SHUTDOWN_GRACE_SECONDS: '10' }), watch);
    expect(lifecycle.isDraining).toBe(false);
    expect([lifecycle.remainingForWork(), lifecycle.isDraining]).toEqual([5_000, true]);
    watch.ms += 3_000;
    lifecycle.beforeApplicationShutdown();
    expect(lifecycle.remainingForWork()).toBe(2_000);
    watch.ms += 3_000;
    expect(lifecycle.remainingForWork()).toBe(0);
  });
});
