import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const types = dirname(createRequire(__filename).resolve('kubernetes-types/package.json'));

/** A manifest, as far as every manifest is alike. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
}

/**
 * What is wrong with manifests by the types of the Kubernetes API: fields that it does not know, that it lacks, and
 * values of another type. Each manifest becomes a literal of its kind's type, which the compiler judges.
 */
export function kubernetesProblems(manifests: Manifest[]): string[] {
  const file = join(types, 'manifests.ts');
  const source = manifests.map((manifest, index) => declaration(manifest, index)).join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function declaration(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest;
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const module = `./${group.split('.')[0] ?? ''}/${version}`;
  return `export const manifest${index}: import('${module}').${kind} = ${JSON.stringify(manifest)};`;
}
