import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { Manifest } from './kubernetes-types';

const DIRECTORY = join(__dirname, '../../docker');

export const readContainerFile = (name: string): string => readFileSync(join(DIRECTORY, name), 'utf8');

/** A Compose file with its merge keys resolved; `!reset` empties what another file has said. */
export function readCompose(name: string): ComposeFile {
  const reset = { tag: '!reset', collection: 'seq' } as const;
  return parse(readContainerFile(name), { merge: true, customTags: [reset] }) as ComposeFile;
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes?: Record<string, unknown>;
  secrets?: Record<string, unknown>;
}

interface ComposeService {
  image?: string;
  user?: string;
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  secrets?: { source: string }[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
}

/** Every manifest of a file under docker/kubernetes, which may hold several. */
export const readManifests = (name: string): Manifest[] =>
  parseAllDocuments(readContainerFile(`kubernetes/${name}`)).map((document) => document.toJS() as Manifest);

export const manifestFiles = (): string[] =>
  readdirSync(join(DIRECTORY, 'kubernetes')).filter((name) => name !== 'kustomization.yaml');
