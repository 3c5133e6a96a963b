import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import Ajv from 'ajv';
import type { Container, PodSpec } from 'kubernetes-types/core/v1';
import { parse } from 'yaml';
import { parsePrivateKeySet } from '../../src/auth/private-jwk';
import { AppConfig } from '../../src/platform/app-config';
import { ERROR_CATALOG } from '../../src/platform/errors/error-catalog';
import composeSchema from '../fixtures/compose-spec/compose-spec.json';
import { manifestFiles, readCompose, readContainerFile, readManifests } from '../support/container-files';
import { kubernetesProblems, type Manifest } from '../support/kubernetes-types';

const ROOT = join(__dirname, '../..');
const dockerfile = readContainerFile('Dockerfile');
const nginx = readContainerFile('nginx.conf');
const base = readCompose('compose.yaml');
const scale = readCompose('compose.scale.yaml');
const manifests = manifestFiles().flatMap(readManifests);
/** By the letter of the schema of settings, where each begins a line. */
const settings = new Set(
  [...readFileSync(join(ROOT, 'src/platform/app-config.ts'), 'utf8').matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(
    ([, name]) => name,
  ),
);

/** Of each kind what these tests look at. */
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

/** The first manifest of this kind. */
function find<K extends keyof Kinds>(kind: K): Kinds[K] {
  const manifest: unknown = manifests.find((candidate) => candidate.kind === kind);
  return manifest as Kinds[K];
}
const config = find('ConfigMap').data;
const secret = find('Secret').stringData;
const pods = { service: find('Deployment').spec.template, migration: find('Job').spec.template };
function containerOf({ spec }: { spec: PodSpec }): Container {
  const [container] = spec.containers;
  if (!container) throw new Error('A pod has a container');
  return container;
}
const imageEnv = Object.fromEntries(
  [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
) as Record<string, string>;
const composeEnv = base.services.service?.environment ?? {};

describe('the Compose files', () => {
  const validate = new Ajv({ strict: false, validateSchema: false }).compile(composeSchema);
  const services = Object.entries({ ...scale.services, ...base.services });

  it.each([
    ['compose.yaml', base],
    ['compose.scale.yaml', scale],
  ])('%s fits the schema of the Compose Specification', (_, file) => {
    validate(file);
    expect(validate.errors).toBeNull();
  });

  it('are refused by that schema where a field is misspelt', () => {
    const { image } = base.services.redis ?? {};
    expect(validate({ services: { redis: { image, healthchek: {} } } })).toBe(false);
  });

  it.each(services)('%s runs without root, capabilities or files of its own to write', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // The image of the service names its user itself.
    if (name !== 'service' && name !== 'migrate') expect(service.user).toMatch(/^(?!root$|0(:|$))./);
  });

  it.each(services)('%s comes from an image of one release', (_, { image }) => {
    expect(image).toMatch(
      /^(consumer-service:\$\{VERSION:-local\}|[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?)$/,
    );
  });

  it.each(services)('%s waits for services, volumes and secrets that exist', (_, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const awaited = base.services[name];
      expect(awaited).toBeDefined();
      // The health check of the service itself is in its image.
      if (condition === 'service_healthy' && name !== 'service') expect(awaited?.healthcheck?.test).toBeDefined();
    }
    const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    for (const volume of volumes.filter((source) => !source.startsWith('.')))
      expect(base.volumes).toHaveProperty(volume);
    for (const { source } of service.secrets ?? []) expect(base.secrets).toHaveProperty(source);
  });

  it('publish ports on this machine alone', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.length).toBeGreaterThan(0);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('give no secret a default', () => {
    for (const name of ['compose.yaml', 'compose.scale.yaml']) {
      const uses = readContainerFile(name).matchAll(/\$\{((?:APP_SECRET|POSTGRES_PASSWORD)[^}]*)\}/g);
      for (const [, use] of uses) expect(use).toMatch(/^[A-Z_]+:\?/);
    }
  });

  it('work with the secrets of make-secrets.mjs, which never replaces one', () => {
    const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
    const make = () => execFileSync(process.execPath, [join(ROOT, 'docker/make-secrets.mjs'), directory]);
    const read = () => ['.env', 'secrets/jwt-keys.json'].map((name) => readFileSync(join(directory, name), 'utf8'));
    make();
    const made = read();
    make();
    expect(read()).toEqual(made);

    const given = parseEnv(made[0] ?? '') as Record<string, string>;
    const fill = (value: string | number) =>
      String(value).replace(/\$\{(\w+)[^}]*\}/g, (_, name) => given[name as string] ?? '');
    const env = Object.fromEntries(Object.entries(composeEnv).map(([name, value]) => [name, fill(value)]));
    const appConfig = new AppConfig({ ...imageEnv, ...env, JWT_KEYS_FILE: join(directory, 'secrets/jwt-keys.json') });
    expect(appConfig).toMatchObject({ isProduction: true, appSecrets: [given.APP_SECRET] });
    expect(appConfig.databaseUrl).toContain(`:${given.POSTGRES_PASSWORD}@postgres:5432/`);
    expect(parsePrivateKeySet(made[1] ?? '').keys).toHaveLength(1);
    rmSync(directory, { recursive: true });
  });
});

describe('the Kubernetes manifests', () => {
  it('fit the types of the Kubernetes API', () => {
    expect(manifests.length).toBeGreaterThanOrEqual(10);
    expect(kubernetesProblems(manifests)).toEqual([]);
  });

  it('are refused by those types where a field is misspelt, missing or of another type', () => {
    const metadata = { name: 'wrong' };
    const wrong = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, dota: {} },
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { selector: 'all' } },
      { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, spec: { maxReplicas: 3 } },
    ];
    for (const manifest of wrong) expect(kubernetesProblems([manifest])).toHaveLength(1);
  });

  it('are all applied, but the example of secrets', () => {
    const { resources } = parse(readContainerFile('kubernetes/kustomization.yaml')) as { resources: string[] };
    expect(new Set(resources)).toEqual(new Set(manifestFiles().filter((name) => name !== 'secret.example.yaml')));
  });

  it('hold no secret, and the example only placeholders', () => {
    const secrets = manifests.filter(({ kind }) => kind === 'Secret') as (Manifest & {
      stringData: Record<string, string>;
    })[];
    for (const { stringData } of secrets)
      for (const value of Object.values(stringData)) expect(value).toMatch(/^<.*>$/);
  });

  it.each(Object.entries(pods))('the %s runs as the standard for restricted pods asks', (_, { spec }) => {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    expect(containerOf({ spec }).resources?.limits).toHaveProperty('memory');
  });

  it('make settings that the service accepts, once the secrets are filled in', () => {
    const filled = {
      APP_SECRET: 'x'.repeat(32),
      DATABASE_URL: 'postgres://user@database/consumers',
      REDIS_URL: 'rediss://cache',
      SMTP_URL: 'smtps://mail',
      SMS_GATEWAY_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
    };
    expect(Object.keys(secret).sort()).toEqual(Object.keys(filled).sort());
    expect(new AppConfig({ ...imageEnv, ...config, ...filled })).toMatchObject({ isProduction: true });
  });

  it('mount the signing keys where the service looks for them', () => {
    for (const pod of Object.values(pods)) {
      const mount = containerOf(pod).volumeMounts?.find(({ name }) => name === 'jwt-keys');
      expect(config.JWT_KEYS_FILE).toBe(`${mount?.mountPath ?? ''}/jwt-keys.json`);
    }
  });

  it('let the service end before it is killed', () => {
    const { terminationGracePeriodSeconds = 0 } = pods.service.spec;
    const preStop = Number(containerOf(pods.service).lifecycle?.preStop?.exec?.command?.[1]);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(preStop + Number(config.SHUTDOWN_GRACE_SECONDS));
  });

  it('select the pods that they are about', () => {
    const { labels } = pods.service.metadata;
    const selectors = [
      find('Deployment').spec.selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    // A Service must not send requests to the migration, and the network policy must hold for both.
    expect(pods.migration.metadata.labels).not.toEqual(labels);
    const { matchLabels } = find('NetworkPolicy').spec.podSelector;
    for (const pod of Object.values(pods)) expect(pod.metadata.labels).toMatchObject(matchLabels);
  });
});

describe('all of docker/', () => {
  it('restarts nothing because a database is away: liveness looks at the process alone', () => {
    expect(/^HEALTHCHECK .*\n.*$/m.exec(dockerfile)?.[0]).toMatch(/\/health\/live\b(?!.*\/health\/ready)/s);
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(pods.service);
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path);
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
    expect(scale.services.nginx?.healthcheck?.test?.join(' ')).not.toContain('/health/');
  });

  it.each([
    ['the Dockerfile', imageEnv],
    ['compose.yaml', composeEnv],
    ['compose.yaml, to migrate,', base.services.migrate?.environment ?? {}],
    ['the ConfigMap', config],
    ['the Secret', secret],
  ])('%s names only settings that there are', (_, env) => {
    expect(Object.keys(env).length).toBeGreaterThan(0);
    expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
  });

  it('agrees on the port', () => {
    const port = imageEnv.PORT ?? '';
    const probed = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${port}\\b`, 'm'));
    expect(base.services.service?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(nginx).toContain(`server service:${port} `);
    expect(config.PORT).toBe(port);
    expect(containerOf(pods.service).ports).toContainEqual({ name: 'http', containerPort: Number(port) });
    for (const probe of probed) expect(containerOf(pods.service)[probe]?.httpGet?.port).toBe('http');
    expect(find('Service').spec.ports).toContainEqual(expect.objectContaining({ name: 'http', targetPort: 'http' }));
    expect(/listen (\d+) /.exec(nginx)?.[1]).toBe(scale.services.nginx?.ports?.[0]?.split(':')[2]);
  });

  it('agrees on the port of metrics', () => {
    const port = config.METRICS_PORT ?? '';
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE .*\\b${port}$`, 'm'));
    expect(String(composeEnv.METRICS_PORT)).toBe(port);
    expect(pods.service.metadata.annotations).toMatchObject({ 'prometheus.io/port': port });
    expect(containerOf(pods.service).ports).toContainEqual({ name: 'metrics', containerPort: Number(port) });
    expect(find('Service').spec.ports).toContainEqual(
      expect.objectContaining({ name: 'metrics', targetPort: 'metrics' }),
    );
  });

  it('lets a stopped container end by itself', () => {
    expect(parseInt(base.services.service?.stop_grace_period ?? '')).toBeGreaterThan(
      Number(composeEnv.SHUTDOWN_GRACE_SECONDS),
    );
  });

  it('answers in nginx what the catalogue of errors says', () => {
    const answers = [...nginx.matchAll(/return (\d+) '(.*)';/g)];
    expect(answers).toHaveLength(5);
    for (const [, status, body = ''] of answers) {
      const { code, requestId, ...problem } = JSON.parse(body) as {
        code: keyof typeof ERROR_CATALOG;
        requestId: string;
      };
      const { title } = ERROR_CATALOG[code];
      expect(problem).toEqual({ type: `/docs/errors/${code}`, title, status: ERROR_CATALOG[code].status });
      expect([status, requestId]).toEqual([String(ERROR_CATALOG[code].status), '$request_id']);
    }
  });
});
