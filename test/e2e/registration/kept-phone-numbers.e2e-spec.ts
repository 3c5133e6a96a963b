import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../support/api/api-client';
import { runCli } from '../../support/service/command-line/cli';
import { register } from '../../support/api/consumers';
import { readLines } from '../../support/import/file';
import { violationsOf, type ProblemBody } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const APP_SECRET = 'the same secret for both of the installations';
const PREMIUM = '+19002345678';

let phones = 0;
const newPhone = (prefix: string): string => `${prefix}${String((phones += 1)).padStart(4, '0')}`;

describe('a phone number from before it would be refused', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.start({ env: { APP_SECRET } });
    client = await app.client();
  });
  afterAll(() => app.close());

  const newOwner = async ({ pending }: { pending: boolean }) => {
    const { token, customerId } = await register(client, { phone: newPhone('+1202555') });
    const phone = newPhone('+88161234');
    await app.query(`UPDATE identifier SET value = $2, pending = $3 WHERE consumer_id = $1 AND kind = 'phone'`, [
      customerId,
      phone,
      pending,
    ]);
    return { customerId, phone, me: client.as(token) };
  };

  it.each(['phone', 'pendingPhone'])(
    'is no reason to refuse a whole profile that is sent back, as %s',
    async (field) => {
      const { me, phone } = await newOwner({ pending: field === 'pendingPhone' });
      const { body: profile } = await me.get('/api/v1/me');
      expect(profile[field]).toBe(phone);
      const patch = (changes: object) =>
        me.patch<ProblemBody & typeof profile>('/api/v1/me', { ...profile, lastName: 'King', ...changes });
      const answer = await patch({ phone });
      expect([answer.status, answer.body[field], answer.body.lastName]).toEqual([200, phone, 'King']);
      const refused = await patch({ phone: PREMIUM });
      expect([refused.status, violationsOf(refused)]).toEqual([400, ['phone INVALID_VALUE']]);
    },
  );

  it('comes back by an import of what an export has written', async () => {
    const { customerId, phone } = await newOwner({ pending: false });
    const directory = await mkdtemp(join(tmpdir(), 'kept-phone-numbers-'));
    const file = join(directory, 'all.ndjson');
    expect((await app.cli('consumer', 'export-all', file)).exitCode).toBe(0);
    const [record] = (await readLines(file)).filter((line) => line.customerId === customerId);
    expect(record?.phone).toBe(phone);
    const other = await TestService.start({ env: { APP_SECRET } });
    try {
      const { stdout } = await runCli(other.env, 'consumer', 'import', file, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ refused: 0 });
    } finally {
      await other.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
