import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compose,
  composeScale,
  containerEnv,
  containerOf,
  dockerfile,
  findManifest,
  nginx,
  pods,
} from '../../support/documents/container-files';

/** By the letter of the schema of settings, where each begins a line. */
const settings = new Set(
  [
    ...readFileSync(join(__dirname, '../../../src/platform/settings/environment.ts'), 'utf8').matchAll(
      /^ {4}([A-Z][A-Z_]+): /gm,
    ),
  ].map(([, name]) => name),
);

describe('all of docker/', () => {
  it('restarts nothing because a database is away: liveness looks at the process alone', () => {
    expect(/^HEALTHCHECK .*\n.*$/m.exec(dockerfile)?.[0]).toMatch(/\/health\/live\b(?!.*\/health\/ready)/s);
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(pods.service);
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path);
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
    expect(composeScale.services.nginx?.healthcheck?.test?.join(' ')).not.toContain('/health/');
  });

  it.each([
    ['the Dockerfile', containerEnv.image],
    ['compose.yaml', containerEnv.compose],
    ['compose.yaml, to migrate,', compose.services.migrate?.environment ?? {}],
    ['compose.yaml, for the console,', compose.services.console?.environment ?? {}],
    ['the ConfigMap', containerEnv.configMap],
    ['the Secret', containerEnv.secret],
  ])('%s names only settings that there are', (_, env) => {
    expect(Object.keys(env).length).toBeGreaterThan(0);
    expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
  });

  it('agrees on the port', () => {
    const port = containerEnv.image.PORT ?? '';
    const probed = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${port}\\b`, 'm'));
    expect(compose.services.service?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(nginx).toContain(`server service:${port} `);
    expect(containerEnv.configMap.PORT).toBe(port);
    expect(containerOf(pods.service).ports).toContainEqual({ name: 'http', containerPort: Number(port) });
    for (const probe of probed) expect(containerOf(pods.service)[probe]?.httpGet?.port).toBe('http');
    expect(findManifest('Service').spec.ports).toContainEqual(
      expect.objectContaining({ name: 'http', targetPort: 'http' }),
    );
    expect(/listen (\d+) /.exec(nginx)?.[1]).toBe(composeScale.services.nginx?.ports?.[0]?.split(':')[2]);
  });

  it('agrees on the port of the console, which nginx does not serve', () => {
    const port = String(compose.services.console?.environment?.CONSOLE_PORT);
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, 'm'));
    expect(compose.services.console?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(compose.services.console?.healthcheck?.test?.join(' ')).toContain(`:${port}/health/live`);
    const { env, ports, livenessProbe } = containerOf(pods.console);
    expect(env).toContainEqual({ name: 'CONSOLE_PORT', value: port });
    expect(ports).toContainEqual({ name: 'console', containerPort: Number(port) });
    expect(livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'console' });
    expect(nginx).not.toContain(port);
  });

  it('agrees on the port of metrics', () => {
    const port = containerEnv.configMap.METRICS_PORT ?? '';
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE .*\\b${port}$`, 'm'));
    expect(String(containerEnv.compose.METRICS_PORT)).toBe(port);
    expect(pods.service.metadata.annotations).toMatchObject({ 'prometheus.io/port': port });
    expect(containerOf(pods.service).ports).toContainEqual({ name: 'metrics', containerPort: Number(port) });
    expect(findManifest('Service').spec.ports).toContainEqual(
      expect.objectContaining({ name: 'metrics', targetPort: 'metrics' }),
    );
  });

  it('lets a stopped container end by itself', () => {
    expect(parseInt(compose.services.service?.stop_grace_period ?? '')).toBeGreaterThan(
      Number(containerEnv.compose.SHUTDOWN_GRACE_SECONDS),
    );
  });
});
