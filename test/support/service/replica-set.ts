import type { Answer, ApiClient } from '../api/api-client';
import { until } from '../until';
import { TestService } from './test-service';

interface Replica {
  app: TestService;
  requests: number;
}

/** Replicas behind a balancer: each request goes to the next of them, and none to one that is about to stop. */
export class ReplicaSet {
  private readonly replicas: Replica[] = [];
  private turn = 0;

  /** The database is that of `home`, which takes no part. */
  constructor(private readonly home: TestService) {}

  async add(env: Record<string, string>): Promise<void> {
    this.replicas.push({ app: await TestService.start({ replicaOf: this.home, env }), requests: 0 });
  }

  /** Stops all replicas once another has taken their place. */
  async replace(env: Record<string, string>): Promise<void> {
    const former = this.replicas.length;
    await this.add(env);
    for (let index = 0; index < former; index += 1) await this.removeOldest();
  }

  /** Restarts the replicas one after another. */
  async restart(env: Record<string, string>): Promise<void> {
    for (const _ of [...this.replicas]) {
      await this.removeOldest();
      await this.add(env);
    }
  }

  async request<T>(client: ApiClient, send: (client: ApiClient) => Promise<Answer<T>>): Promise<Answer<T>> {
    this.turn += 1;
    const replica = this.replicas[this.turn % this.replicas.length];
    if (!replica) throw new Error('No replica runs');
    replica.requests += 1;
    try {
      return await send(client.at(replica.app.baseUrl));
    } finally {
      replica.requests -= 1;
    }
  }

  private async removeOldest(): Promise<void> {
    const replica = this.replicas.shift();
    if (!replica) return;
    await until(() => replica.requests === 0);
    await replica.app.close();
  }
}
