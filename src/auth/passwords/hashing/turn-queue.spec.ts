import { TurnQueue } from './turn-queue';

function queueOf(limit: number, ...jobs: string[]): [TurnQueue<string>, turnedAway: (string | undefined)[]] {
  const queue = new TurnQueue<string>(limit);
  return [queue, jobs.map((job) => queue.push(job.charAt(0), job))];
}

const drained = (queue: TurnQueue<string>): string[] => {
  const job = queue.shift();
  return job === undefined ? [] : [job, ...drained(queue)];
};

describe('a queue that is served by turns', () => {
  it('takes one job of each sender in turn, the oldest first', () => {
    const [queue] = queueOf(10, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([queue.size, queue.shift()]).toEqual([0, undefined]);
  });

  it('lets a sender who comes back wait for one turn of everybody else', () => {
    const [queue] = queueOf(10, 'a1', 'b1', 'b2');
    expect(queue.shift()).toBe('a1');
    queue.push('a', 'a2');
    expect(drained(queue)).toEqual(['b1', 'a2', 'b2']);
  });

  it('has all its room for one sender alone', () => {
    const [queue, turnedAway] = queueOf(3, 'a1', 'a2', 'a3', 'a4');
    expect(turnedAway).toEqual([undefined, undefined, undefined, 'a4']);
    expect(drained(queue)).toEqual(['a1', 'a2', 'a3']);
  });

  it('makes room for another by the newest job of the sender with the most, until both have as many', () => {
    const [queue, turnedAway] = queueOf(4, 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1');
    expect(turnedAway.slice(4)).toEqual(['a4', 'a3', 'b3', 'a2']);
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'b2']);
  });

  it('turns the newcomer away when everybody has one', () => {
    const [queue, turnedAway] = queueOf(2, 'a1', 'b1', 'c1');
    expect(turnedAway[2]).toBe('c1');
    expect([queue.size, ...drained(queue)]).toEqual([2, 'a1', 'b1']);
  });
});
