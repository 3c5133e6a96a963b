import type { ServiceProcess } from '../service/service-process';
import type { ReleasedProgram } from './released-program';

/** Replicas behind a balancer that takes one out before it is stopped: each request goes to the next of them. */
export class RollingReplicas {
  private readonly running: ServiceProcess[] = [];
  private readonly former: ServiceProcess[] = [];
  private turn = 0;

  constructor(private readonly env: Record<string, string>) {}

  async add(program: ReleasedProgram, count: number): Promise<void> {
    for (let started = 0; started < count; started += 1) this.running.push(await program.start(this.env));
  }

  /** One after another, as in docs/operate/deploy.md: a new one is ready before an old one leaves. */
  async replaceBy(program: ReleasedProgram): Promise<void> {
    const former = this.running.length;
    for (let replaced = 0; replaced < former; replaced += 1) {
      await this.add(program, 1);
      const replica = this.running.shift();
      if (!replica) return;
      await replica.kill('SIGTERM');
      this.former.push(replica);
    }
  }

  /** The replica whose turn it is. */
  next(): ServiceProcess {
    this.turn += 1;
    const replica = this.running[this.turn % this.running.length];
    if (!replica) throw new Error('No replica runs');
    return replica;
  }

  /** What all of them have logged as warnings and errors. */
  get complaints(): string[] {
    return [...this.former, ...this.running].flatMap(({ output }) =>
      output
        .join('')
        .split('\n')
        .filter((line) => line !== ''),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((replica) => replica.kill('SIGTERM')));
  }
}
