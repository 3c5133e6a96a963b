import { setImmediate as turn } from 'node:timers/promises';
import { DeliveryLoop } from './delivery-loop';
import type { TakenMessage } from './message.repository';

const messageNamed = (id: string) => ({ id, touchpoint: 'shop', round: 0 }) as TakenMessage;

describe('a slow delivery', () => {
  it('keeps one place only, even when the others end while the queue is looked at', async () => {
    const queue = ['a', 'b', 'slow', 'd'];
    const ends = new Map<string, () => void>();
    let lookingEnds: (() => void) | undefined;
    const loop = new DeliveryLoop({
      take: async (count) => {
        const taken = queue.splice(0, count).map(messageNamed);
        if (taken[0]?.id === 'slow') await new Promise<void>((resolve) => (lookingEnds = resolve));
        return taken;
      },
      handle: ({ id }) => new Promise((resolve) => ends.set(id, resolve)),
      failed: (error) => {
        throw error;
      },
      concurrency: 2,
      pollInterval: 60_000,
    });
    await turn();
    ends.get('a')?.();
    await turn();
    ends.get('b')?.();
    await turn();
    lookingEnds?.();
    await turn();
    expect([...ends.keys()]).toEqual(['a', 'b', 'slow', 'd']);
    ends.get('slow')?.();
    ends.get('d')?.();
    await loop.stop(1_000);
  });
});
