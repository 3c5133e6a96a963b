import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { newKey, outcomeOf, sendKeyed } from '../../support/api/idempotency';
import { TestService } from '../../support/service/test-service';

describe('what was made under a former APP_SECRET that is still accepted', () => {
  let app: TestService;
  let before: ApiClient;
  let after: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    before = await app.client();
    const former = readFileSync(join(app.dataDir, 'app-secret'), 'utf8').trim();
    const env = { APP_SECRET: `${'n'.repeat(32)},${former}`, BCRYPT_COST: '5' };
    after = before.at((await TestService.start({ replicaOf: app, env })).baseUrl);
  });

  it('a password is known, and its hash, which is of another cost too, renewed once', async () => {
    const { email, customerId } = await register(before);
    const kept = async () => {
      const rows = await app.query<{ hash: string }>(
        'SELECT password_hash AS hash FROM credential WHERE consumer_id = $1',
        [customerId],
      );
      return rows.map(({ hash }) => hash);
    };
    expect(await kept()).toEqual([expect.stringMatching(/^pepper:[0-9a-f]{8}:\$2b\$04\$/)]);
    const hashes = new Set<string>();
    for (const _ of [1, 2, 3]) {
      const { status } = await after.post('/api/v1/login', { identifier: email, password: PASSWORD });
      expect(status).toBe(200);
      for (const hash of await kept()) hashes.add(hash);
    }
    expect([...hashes]).toEqual([expect.stringMatching(/^pepper:[0-9a-f]{8}:\$2b\$05\$/)]);
  });

  it('an Idempotency-Key is found', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const { body } = await sendKeyed(before, key, person);
    expect(outcomeOf(await sendKeyed(after, key, person))).toEqual([201, body.customerId, 'replayed']);
    expect((await sendKeyed(after, key, newPerson())).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
