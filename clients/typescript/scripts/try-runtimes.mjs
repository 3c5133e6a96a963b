// Packs the package, installs it into an empty folder without a network, and runs test/smoke/ with every runtime: this
// Node.js, those named as arguments (such as `node@22 bun@1`), which are fetched from the npm registry.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'client-runtimes-'));
const npm = (cwd, ...args) => execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], { cwd });

/** What the registry has for this machine: a program in a package of its own. */
const PACKAGES = {
  node: { name: `node-${process.platform}-${process.arch}`, program: 'bin/node' },
  bun: {
    name: `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`,
    program: 'bin/bun',
  },
};

/** @returns {string | null} where the program is, if the registry has one that starts here */
function fetched(spec) {
  const [kind, version] = spec.split('@');
  const { name, program } = PACKAGES[kind];
  const prefix = join(work, spec);
  mkdirSync(prefix);
  try {
    npm(prefix, 'install', '--no-save', '--ignore-scripts', '--prefix', prefix, `${name}@${version}`);
  } catch {
    return null;
  }
  const path = join(prefix, 'node_modules', name, program);
  return existsSync(path) && spawnSync(path, ['--version']).status === 0 ? path : null;
}

let [passed, failed] = [0, 0];
try {
  const [tarball] = JSON.parse(npm(directory, 'pack', '--json', '--pack-destination', work).toString());
  const backend = join(work, 'backend');
  mkdirSync(backend);
  writeFileSync(join(backend, 'package.json'), '{ "private": true }');
  npm(backend, 'install', '--offline', join(work, tarball.filename));
  const smoke = join(directory, 'test/smoke');
  for (const name of readdirSync(smoke)) copyFileSync(join(smoke, name), join(backend, name));

  const runtimes = [['this Node.js', process.execPath], ...process.argv.slice(2).map((spec) => [spec, fetched(spec)])];
  for (const [runtime, program] of runtimes) {
    if (program === null) {
      console.log(`${runtime}: not run, since the registry has none that starts here`);
      continue;
    }
    const version = execFileSync(program, ['--version']).toString().trim();
    for (const format of ['import.mjs', 'require.cjs']) {
      const { status, stdout, stderr } = spawnSync(program, [format], { cwd: backend, timeout: 60_000 });
      const isGood = status === 0 && stderr.length === 0;
      if (isGood) passed += 1;
      else failed += 1;
      console.log(
        `${runtime} (${version}), ${format}: ${isGood ? stdout.toString().trim() : `failed\n${stdout}${stderr}`}`,
      );
    }
  }
} finally {
  rmSync(work, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
