import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const npm = (cwd: string, ...args: string[]) => execFileSync('npm', [...args, '--silent'], { cwd, encoding: 'utf8' });

interface Packed {
  filename: string;
  files: { path: string }[];
}

/** What a package exports, with the public members of its classes. */
function exportedNames(): { name: string; members: string[] }[] {
  const file = join(ROOT, 'dist/index.d.ts');
  const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, types: ['node'], typeRoots: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  assert.ok(module);
  return checker.getExportsOfModule(module).map((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const isOurClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
    const members = isOurClass ? [...(symbol.members?.keys() ?? []), ...(symbol.exports?.keys() ?? [])] : [];
    const names = members.map((member) => ts.unescapeLeadingUnderscores(member));
    // What every class and every error has.
    const ours = names.filter((name) => /^[a-z]\w*$/.test(name) && !['prototype', 'name'].includes(name));
    return { name: exported.name, members: ours };
  });
}

describe('the package', () => {
  let backend: string;
  let packed: Packed;

  before(() => {
    backend = mkdtempSync(join(tmpdir(), 'client-package-'));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', backend];
    [packed] = JSON.parse(npm(ROOT, ...args)) as [Packed];
    writeFileSync(join(backend, 'package.json'), '{ "private": true }');
    npm(backend, 'install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`);
  });
  after(() => {
    rmSync(backend, { recursive: true });
  });

  it('holds what is built, its page and its licence, and needs no other package', () => {
    const folders = new Set(packed.files.map(({ path }) => path.replace(/\/.*/, '')));
    assert.deepEqual(folders, new Set(['LICENSE', 'README.md', 'dist', 'package.json']));
    const { packages } = JSON.parse(readFileSync(join(backend, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: object;
    };
    assert.deepEqual(Object.keys(packages), ['node_modules/consumer-service-client']);
    assert.equal(read('LICENSE'), readFileSync(join(ROOT, '../../LICENSE'), 'utf8'));
  });

  const program = `
    const client = new ConsumerServiceClient({ baseUrl: 'http://service.invalid', touchpoint: { code: 'a', key: 'b' } });
    const session = { customerId: 'c', token: 't' };
    async function act(): Promise<string | null> {
      const consumer = Consumer.from(client, session);
      try {
        const { profile, etag } = await consumer.profile();
        return profile.email ?? etag;
      } catch (error) {
        if (error instanceof ApiProblem && error.is('RATE_LIMITED')) return \`\${error.retryAfter}\`;
        throw error;
      }
    }
    export const outcome: Promise<string | null> = act();
    // @ts-expect-error It takes a body.
    export const wrong = client.login();`;
  const imports = `import { ApiProblem, Consumer, ConsumerServiceClient } from 'consumer-service-client';`;

  for (const [file, module, moduleResolution] of [
    ['esm.mts', 'nodenext', 'nodenext'],
    ['commonjs.cts', 'nodenext', 'nodenext'],
    ['node16.cts', 'node16', 'node16'],
    ['bundled.ts', 'esnext', 'bundler'],
    ['old.ts', 'commonjs', 'node10'],
  ] as const) {
    it(`has types for ${file} (module ${module}, resolution ${moduleResolution})`, () => {
      writeFileSync(join(backend, file), `${imports}\n${program}\n`);
      const types = join(backend, 'node_modules/@types');
      rmSync(types, { recursive: true, force: true });
      symlinkSync(join(ROOT, 'node_modules/@types'), types);
      const options = {
        module,
        moduleResolution,
        strict: 'true',
        target: 'es2022',
        types: 'node',
        skipLibCheck: 'false',
      };
      const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      execFileSync(process.execPath, [tsc, '--noEmit', ...given, file], { cwd: backend, stdio: 'pipe' });
    });
  }

  it('gives the same names to import and to require', async () => {
    const imported = Object.keys(await import('consumer-service-client'));
    const required = Object.keys((await import('../dist/index.js')).default as object);
    assert.deepEqual(imported.toSorted(), required.filter((name) => name !== '__esModule').toSorted());
  });

  it('is no larger than its page says', () => {
    const stated = /(\d+) kB to download, (\d+) kB of code/.exec(read('README.md'));
    const script = execFileSync(process.execPath, [join(ROOT, 'scripts/size.mjs')], { encoding: 'utf8' });
    const { download, code } = JSON.parse(script) as { download: number; code: number };
    const [largest, smallest] = [Number(stated?.[1]), Number(stated?.[2])];
    assert.ok(download <= largest && code <= smallest, `${script} is more than ${stated?.[0]}`);
    assert.ok(download > largest * 0.8 && code > smallest * 0.8, `${script} is much less than ${stated?.[0]}`);
  });

  it('has every name that it exports, and every member of its classes, in the list of its page', () => {
    const [, list = ''] = read('README.md').split('\n## API\n');
    const named = new Set([...list.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(/\w+/g) ?? []));
    const names = exportedNames();
    assert.ok(names.length > 30 && names.some(({ members }) => members.includes('keepAlive')));
    const missing = names.flatMap(({ name, members }) => [name, ...members]).filter((name) => !named.has(name));
    assert.deepEqual(missing, []);
  });

  it('fits the version of the service', () => {
    const version = (path: string) => (JSON.parse(read(path)) as { version: string }).version;
    assert.equal(version('package.json'), version('../../package.json'));
  });
});
