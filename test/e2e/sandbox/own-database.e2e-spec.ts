import { TestService } from '../../support/service/test-service';

describe('a start that says what to do', () => {
  it('is refused to another deployment on the database of a sandbox', async () => {
    const app = await TestService.start({ env: { SANDBOX: 'true' } });
    await expect(app.restart({ SANDBOX: 'false' })).rejects.toThrow('set SANDBOX=true');
  });

  it('is refused to a sandbox on a database that somebody has used', async () => {
    const app = await TestService.start();
    await (await app.client()).get('/api/v1/reference/countries');
    await expect(app.restart({ SANDBOX: 'true' })).rejects.toThrow('start without SANDBOX');
  });
});
