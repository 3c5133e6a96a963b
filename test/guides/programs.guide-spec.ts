import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../support/api/api-client';
import { PASSWORD } from '../support/api/consumers';
import { NEW_PASSWORD } from '../support/api/recovery';
import { compileJava, compileTypeScript } from '../support/guides/compiled-guides';
import { FLOWS, REFUSALS, type Scene, SETBACKS } from '../support/guides/guide-flows';
import { isInstalled, nameOf, runProgram } from '../support/guides/guide-languages';
import { GuidePage, type Tab, TABS } from '../support/guides/guide-pages';
import { type Meddling, MeddlingRelay } from '../support/guides/meddling-relay';
import { TestService } from '../support/service/test-service';

const guides = GuidePage.all();
const installed = TABS.filter(isInstalled);
/** In the names of tests. */
const languages = installed.map((tab) => [nameOf(tab), tab] as const);
/** Where the address of the service or the key is not what the service says. */
type Differently = (env: Record<string, string>) => Record<string, string>;

describe('the guides', () => {
  let app: TestService;
  let directory: string;
  let complaints: string;

  beforeAll(async () => {
    app = await TestService.start({ env: { SANDBOX: 'true' } });
    directory = await mkdtemp(join(tmpdir(), 'guides-'));
    const compiled = join(directory, 'compiled');
    complaints = await compileTypeScript(compiled, guides);
    if (installed.includes('java')) await compileJava(compiled, guides);
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true });
  });

  /** Runs a program after what the guide has an administrator do. */
  async function play(guide: GuidePage, tab: Tab, differently: Differently = (env) => env, typed?: string) {
    const [what = '', ...command] = guide.preparation;
    const code = randomUUID();
    const given = command.map((word, index) => (command[index - 1] === '--code' ? code : word));
    const { key } = await app.administer<{ key: string }>(what, ...given);
    const credential = { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key };
    const client = what === 'touchpoint' ? new ApiClient(app.baseUrl, credential) : await app.client();
    const scene: Scene = { app, client, code, email: `${code}@guide.test`, directory: join(directory, code) };
    const flow = FLOWS[guide.name];
    const check = await flow?.prepare(scene);
    const env = {
      ...{ API: app.baseUrl, EMAIL: scene.email, PASSWORD, NEW_PASSWORD },
      ...{ [`${what.toUpperCase()}_CODE`]: code, [`${what.toUpperCase()}_KEY`]: key },
    };
    const run = { env: differently(env), typed: typed ?? flow?.typed ?? '', directory: scene.directory };
    const outcome = await runProgram(guide, tab, join(directory, 'compiled'), run);
    return { tab, outcome, check };
  }

  /** The same in every language, with a relay between each program and the service. */
  const playWith = (meddling: Meddling, name: string) =>
    Promise.all(
      installed.map(async (tab) => {
        const relay = await MeddlingRelay.start(app.baseUrl, meddling);
        const played = await play(new GuidePage(name), tab, (env) => ({ ...env, API: relay.baseUrl }));
        relay.close();
        return played;
      }),
    );

  describe.each(guides.map((guide) => [guide.name, guide] as const))('have a program for %s that', (name, guide) => {
    const played = new Map<Tab, Awaited<ReturnType<typeof play>>>();

    beforeAll(async () => {
      await Promise.all(installed.map(async (tab) => played.set(tab, await play(guide, tab))));
    });

    it.each(languages)(`in %s ${FLOWS[name]?.does ?? 'does what nobody has said'}`, async (_, tab) => {
      const { outcome, check } = played.get(tab) ?? {};
      expect(outcome).toEqual({ ...outcome, exitCode: 0 });
      expect(check).toBeDefined();
      await check?.();
    });
  });

  it.each(REFUSALS)('have programs for %s that explain the refusal of %s: %s', async (name, request, code, words) => {
    // The client repeats some by itself.
    const outcomes = await playWith({ [request]: [code, code, code] }, name);
    for (const { outcome } of outcomes) expect(outcome.output).toContain(words);
    expect(outcomes.filter(({ outcome }) => outcome.exitCode === 0)).toEqual([]);
  });

  it.each(SETBACKS)(
    'have programs for %s that get over what befalls the first %s: %j',
    async (name, request, scenarios) => {
      for (const { tab, outcome, check } of await playWith({ [request]: [...scenarios] }, name)) {
        expect({ tab, ...outcome }).toEqual({ tab, ...outcome, exitCode: 0 });
        await check?.();
      }
    },
  );

  it.each(['verified-registration', 'forgot-password', 'profile'])(
    'have programs for %s that fail where no code is typed',
    async (name) => {
      const nothing = (tab: Tab) => play(new GuidePage(name), tab, undefined, '');
      for (const { outcome } of await Promise.all(installed.map(nothing))) {
        expect(outcome.output).toContain('No code was typed');
        expect(outcome.exitCode).toBeGreaterThan(0);
      }
    },
  );

  it('have programs for events that fail with a wrong key', async () => {
    const guide = new GuidePage('events');
    const wrong = (env: Record<string, string>) => ({ ...env, SUBSCRIBER_KEY: `${env.SUBSCRIBER_KEY}x` });
    const outcomes = await Promise.all(installed.map((tab) => play(guide, tab, wrong)));
    for (const { outcome } of outcomes) expect(outcome.output).toContain('SUBSCRIBER_UNAUTHORIZED');
    expect(outcomes.filter(({ outcome }) => outcome.exitCode === 0)).toEqual([]);
  });

  it('have programs in TypeScript that fit the types of the client', () => {
    expect(complaints).toBe('');
  });

  it('are all run, none but those', () => {
    expect(Object.keys(FLOWS).sort()).toEqual(guides.map(({ name }) => name).sort());
  });
});
