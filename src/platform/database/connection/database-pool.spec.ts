import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from './database-errors';
import { DatabasePool } from './database-pool';

const REQUESTS = 100;
const INTERVAL_MS = 5;

describe('connections to a PostgreSQL that refuses them', () => {
  let server: Server;
  let knocks = 0;
  let pool: DatabasePool;

  beforeAll(async () => {
    server = createServer((socket) => {
      knocks += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    pool = new DatabasePool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, user: 'postgres' });
  });
  afterAll(async () => {
    await pool.end();
    server.close();
  });

  it('are not tried by every request: others are refused without a try, and some try again', async () => {
    for (let request = 0; request < REQUESTS; request += 1) {
      const error: unknown = await pool.connect().catch((reason: unknown) => reason);
      expect(isDatabaseUnavailable(error)).toBe(true);
      await sleep(INTERVAL_MS);
    }
    // Each pause is of a tenth of a second at least.
    expect(knocks).toBeGreaterThan(1);
    expect(knocks).toBeLessThan(REQUESTS / 4);
  });
});
