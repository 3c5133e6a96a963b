import { HashingPool } from './hashing-pool';
import type { ApiClient } from '../../../../test/support/api/api-client';
import { register } from '../../../../test/support/api/consumers';
import { TestApp } from '../../../../test/support/in-process/test-app';

const OURS = 7;

describe('a wrong password', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start({ env: { BCRYPT_COST: String(OURS) } });
    client = await app.client();
  });
  afterAll(() => app.close());

  it.each([
    ['with a hash of our own, is compared with nothing else', null, []],
    [
      'with a cheaper bcrypt hash, is compared with decoys that make up the difference',
      '$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01232',
      ['$2b$04$', '$2b$05$', '$2b$06$'],
    ],
    [
      'with a bcrypt hash of our cost, is compared with nothing else',
      '$2b$07$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01232',
      [],
    ],
    [
      'with a dearer bcrypt hash, is compared with nothing else',
      '$2b$08$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01232',
      [],
    ],
    [
      'with a hash of another kind, is compared with a decoy of our cost too',
      '$sha256$pf=e1NBTFR9JCR7UEFTU1dPUkR9$NW9wbWtnejAzcg==$HokCOi9OtiZaZRvnkgemV3B4UUHpI7kA8zq/EZWH2NY=',
      ['$2b$07$'],
    ],
  ])('%s', async (_, passwordHash, expected) => {
    const { email, customerId } = await register(client);
    if (passwordHash !== null) {
      await app.dataSource.query('UPDATE credential SET password_hash = $2 WHERE consumer_id = $1', [
        customerId,
        passwordHash,
      ]);
    }
    const compare = jest.spyOn(app.nest.get(HashingPool), 'compare');
    const answer = await client.post('/api/v1/login', { identifier: email, password: 'a wrong guess' });
    const decoys = compare.mock.calls.flatMap(([, , , given]) => given.map((decoy) => decoy.slice(0, 7)));
    compare.mockRestore();
    expect([answer.status, decoys]).toEqual([401, expected]);
  });
});
