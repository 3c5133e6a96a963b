import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileOf } from './guide-languages';
import type { GuidePage } from './guide-pages';
import { ROOT } from '../documents/pages';

const CLIENT = join(ROOT, 'clients/typescript');
const PACKAGE = 'consumer-service-client';

const execute = promisify(execFile);

/** Compiles the programs in Java into this folder, all at once: alone each would load the compiler for every run. */
export async function compileJava(directory: string, guides: GuidePage[]): Promise<void> {
  const sources = join(directory, 'java');
  await mkdir(sources, { recursive: true });
  const files = guides.map((guide) => [join(sources, fileOf('java', guide.name)), guide.program('java')] as const);
  await Promise.all(files.map(([file, program]) => writeFile(file, program)));
  await execute('javac', ['-d', directory, ...files.map(([file]) => file)]);
}

/**
 * Compiles the programs in TypeScript into this folder, with the client package as strictly as that compiles itself. Answers
 * what the compiler complains of.
 */
export async function compileTypeScript(directory: string, guides: GuidePage[]): Promise<string> {
  const modules = join(directory, 'node_modules');
  await mkdir(modules, { recursive: true });
  await cp(join(CLIENT, 'src'), join(directory, PACKAGE, 'src'), { recursive: true });
  await symlink(join(directory, PACKAGE), join(modules, PACKAGE));
  // Where the types of Node.js are.
  await symlink(join(ROOT, 'node_modules/@types'), join(modules, '@types'));
  for (const guide of guides) await writeFile(join(directory, `${guide.name}.ts`), guide.program('ts'));
  const project = {
    extends: join(CLIENT, 'tsconfig.json'),
    compilerOptions: { rootDir: '.', outDir: '.', declaration: false, sourceMap: false },
    files: [join(PACKAGE, 'src/index.ts'), ...guides.map(({ name }) => `${name}.ts`)],
    include: [],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(project));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  const index = { name: PACKAGE, type: 'module', exports: './src/index.js' };
  await writeFile(join(directory, PACKAGE, 'package.json'), JSON.stringify(index));
  const compiler = require.resolve('typescript/bin/tsc');
  const outcome: unknown = await execute(process.execPath, [compiler], { cwd: directory }).catch(
    (error: unknown) => error,
  );
  return (outcome as { stdout: string }).stdout;
}
