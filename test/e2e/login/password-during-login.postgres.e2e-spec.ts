import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { PASSWORD, register } from '../../support/api/consumers';
import type { ProblemBody } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

describe('a login that has compared the old password', () => {
  it('is refused if the password changes before it ends', async () => {
    const app = await TestService.shared();
    const client = await app.client();
    const { email, customerId } = await register(client);
    const database = new Client({ connectionString: app.databaseUrl });
    await database.connect();
    await database.query('BEGIN');
    await database.query(`UPDATE credential SET password_hash = '', version = version + 1 WHERE consumer_id = $1`, [
      customerId,
    ]);
    const login = client.post<ProblemBody>('/api/v1/login', { identifier: email, password: PASSWORD });
    // Long enough to compare; were it not, the login would come too late and be refused as well.
    await sleep(300);
    await database.query('COMMIT');
    await database.end();
    expect((await login).body.code).toBe('INVALID_CREDENTIALS');
  });
});
