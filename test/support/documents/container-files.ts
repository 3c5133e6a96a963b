import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, PodSpec } from 'kubernetes-types/core/v1';
import { parse, parseAllDocuments } from 'yaml';
import type { Manifest } from './kubernetes-types';

const DIRECTORY = join(__dirname, '../../../docker');

export const readContainerFile = (name: string): string => readFileSync(join(DIRECTORY, name), 'utf8');

/** A Compose file with its merge keys resolved; `!reset` empties what another file has said. */
function readCompose(name: string): ComposeFile {
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
const readManifests = (name: string): Manifest[] =>
  parseAllDocuments(readContainerFile(`kubernetes/${name}`)).map((document) => document.toJS() as Manifest);

export const manifestFiles = (): string[] =>
  readdirSync(join(DIRECTORY, 'kubernetes')).filter((name) => name !== 'kustomization.yaml');

export const dockerfile = readContainerFile('Dockerfile');
export const nginx = readContainerFile('nginx.conf');
export const compose = readCompose('compose.yaml');
export const composeScale = readCompose('compose.scale.yaml');
export const composeSandbox = readCompose('sandbox/compose.yaml');
export const manifests = manifestFiles().flatMap(readManifests);

/** Of each kind what tests look at. */
interface Kinds {
  ConfigMap: { data: Record<string, string> };
  Secret: { stringData: Record<string, string> };
  Deployment: { spec: { selector: { matchLabels: object }; template: Pod } };
  Job: { spec: { template: Pod } };
  Service: { spec: { selector: object; ports: object[] } };
  PodDisruptionBudget: { spec: { selector: { matchLabels: object } } };
  NetworkPolicy: { spec: { podSelector: { matchLabels: object } } };
}
interface Pod {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export function findManifest<K extends keyof Kinds>(kind: K, name = 'consumer-service'): Kinds[K] {
  const manifest: unknown = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  return manifest as Kinds[K];
}

export const pods = {
  service: findManifest('Deployment').spec.template,
  console: findManifest('Deployment', 'consumer-service-console').spec.template,
  migration: findManifest('Job', 'consumer-service-migrate').spec.template,
};

export function containerOf({ spec }: { spec: PodSpec }): Container {
  const [container] = spec.containers;
  if (!container) throw new Error('A pod has a container');
  return container;
}

/** The settings that each gives the service. */
export const containerEnv = {
  image: Object.fromEntries(
    [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>,
  compose: compose.services.service?.environment ?? {},
  configMap: findManifest('ConfigMap').data,
  secret: findManifest('Secret').stringData,
};
