import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADA, identify, outcomeOf, trusting } from '../../support/api/identification';
import { codeOf } from '../../support/api/touchpoints';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { TestService } from '../../support/service/test-service';

describe('the provider commands', () => {
  const issuers: AssertionIssuer[] = [];
  let app: TestService;
  let issuer: AssertionIssuer;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    issuer = await newIssuer();
  });
  afterAll(() => {
    for (const started of issuers) started.close();
  });

  const newIssuer = async (alg?: string): Promise<AssertionIssuer> => {
    const started = await AssertionIssuer.start(app.clock, alg);
    issuers.push(started);
    return started;
  };

  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'consumer-service-keys-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('add, list and remove', async () => {
    const backend = await newIssuer();
    const shop = await app.client();
    const file = join(directory, 'keys.json');
    await writeFile(file, JSON.stringify({ keys: [backend.publicJwk] }));
    const run = async (command: string, ...args: string[]) => {
      const result = await app.cli('touchpoint', 'provider', command, codeOf(shop), ...args, '--json');
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      return JSON.parse(result.stdout) as Record<string, unknown>[];
    };
    const given = ['--issuer', backend.url, '--audience', 'shop', '--jwks-file', file, '--trust-email'];
    const { kid, kty, alg } = backend.publicJwk;
    const added = {
      ...{ issuer: backend.url, audience: 'shop', keys: [{ kid, kty, alg }], trustEmail: true },
      createdAt: expect.any(String) as string,
    };
    expect(await run('add', ...given)).toEqual([added]);
    expect(await run('list')).toEqual([added]);
    expect(outcomeOf(await identify(shop, await backend.sign(ADA)))).toBe('201');
    expect(await run('remove', '--issuer', backend.url)).toEqual([]);

    const trail = await app.query<{ type: string; actor: string; details: unknown }>(
      `SELECT type, actor, details FROM audit_event WHERE touchpoint = $1 AND type LIKE 'touchpoint.provider-%' ORDER BY id`,
      [codeOf(shop)],
    );
    expect(trail).toEqual([
      {
        ...{ type: 'touchpoint.provider-added', actor: 'cli' },
        details: { issuer: backend.url, audience: 'shop', trustsEmail: true },
      },
      { type: 'touchpoint.provider-removed', actor: 'cli', details: { issuer: backend.url } },
    ]);
  });

  it('tell a mistake in one line and exit 1, having changed nothing', async () => {
    const shop = codeOf(await trusting(app, issuer));
    const named = ['add', shop, '--issuer', 'https://id.example.com', '--audience', 'shop'];
    const mistakes: [command: string[], message: RegExp][] = [
      [named, /Name either --jwks-uri or --jwks-file/],
      [[...named, '--jwks-uri', 'http://id.example.com/jwks'], /--jwks-uri must be an https:\/\/ address/],
      [[...named, '--jwks-file', join(directory, 'none.json')], /none\.json cannot be read \(ENOENT\)/],
      [['add', shop, '--issuer', issuer.url, '--audience', 'x', '--jwks-uri', issuer.jwksUri], /remove it first/],
      [['remove', shop, '--issuer', 'https://id.example.com'], /does not trust https:\/\/id\.example\.com/],
      [['destroy', shop], /unknown command 'touchpoint provider destroy'/],
    ];
    const told = await Promise.all(mistakes.map(([command]) => app.cli('touchpoint', 'provider', ...command)));
    for (const [index, [command, message]] of mistakes.entries()) {
      expect({ command, ...told[index] }).toEqual({
        command,
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^[^\\n]*${message.source}[^\\n]*\\n$`)) as string,
      });
    }
    const trusted = await app.administer<{ issuer: string }[]>('touchpoint', 'provider', 'list', shop);
    expect(trusted.map((provider) => provider.issuer)).toEqual([issuer.url]);
  });
});
