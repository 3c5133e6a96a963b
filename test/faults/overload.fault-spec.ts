import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newPerson, PASSWORD, register } from '../support/api/consumers';
import { reportFault } from '../support/faults/report';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';

const FLOOD = 30;
const LOGINS = 15;
const COUNTRIES = '/api/v1/reference/countries';

describe('the service under more logins than it can hash', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let touchpoints: CreatedTouchpoint[];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'overload-'));
    const env = { DATA_DIR: dataDir, BCRYPT_COST: '8', HASH_WORKERS: '1', HASH_QUEUE_LIMIT: '7' };
    touchpoints = ['flood', 'shop'].map((code) => CreatedTouchpoint.create(env, code));
    service = await ServiceProcess.start(env);
  }, 120_000);
  afterAll(async () => {
    await service.kill('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });

  it('refuses what one touchpoint sends too much, and serves the others and all other requests', async () => {
    const [flooding, shop] = touchpoints.map((touchpoint) => touchpoint.clientOf(service));
    if (!flooding || !shop) throw new Error('There are two touchpoints');
    const { email: identifier } = await register(shop);
    const login = { identifier, password: PASSWORD };
    const flooded: Record<string, number> = {};
    let over = false;
    const residentMib = service.residentMib;
    const flood = Array.from({ length: FLOOD }, async () => {
      while (!over) {
        const { status, headers } = await flooding.post('/api/v1/register', newPerson());
        const answer = status === 503 && Number(headers.get('Retry-After')) > 0 ? 'refused' : String(status);
        flooded[answer] = (flooded[answer] ?? 0) + 1;
      }
    });
    while ((flooded.refused ?? 0) < FLOOD) await shop.get(COUNTRIES);

    const served: number[] = [];
    for (let round = 0; round < LOGINS; round += 1) {
      served.push((await shop.post('/api/v1/login', login)).status);
      served.push((await shop.get(COUNTRIES)).status);
    }
    over = true;
    await Promise.all(flood);
    const acknowledged = served.filter((status) => status === 200).length;
    const sent = Object.values(flooded).reduce((sum, count) => sum + count, 0);
    reportFault('one touchpoint fills the hash queue: another one', {
      ...{ sent: served.length, acknowledged, refused: served.length - acknowledged, lost: 0, recoveryMs: 0 },
    });
    reportFault('one touchpoint fills the hash queue: that one', {
      ...{ sent, acknowledged: flooded[201] ?? 0, refused: flooded.refused ?? 0, lost: 0, recoveryMs: 0 },
    });
    expect(served).toEqual(served.map(() => 200));
    expect(Object.keys(flooded).toSorted()).toEqual(['201', 'refused']);
    expect(service.residentMib - residentMib).toBeLessThan(150);
  }, 120_000);
});
