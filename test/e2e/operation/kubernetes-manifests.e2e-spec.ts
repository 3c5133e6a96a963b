import { parse } from 'yaml';
import {
  containerEnv,
  containerOf,
  findManifest,
  manifestFiles,
  manifests,
  pods,
  readContainerFile,
} from '../../support/documents/container-files';
import { kubernetesProblems, type Manifest } from '../../support/documents/kubernetes-types';

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

  it('mount the signing keys where the service looks for them', () => {
    for (const pod of Object.values(pods)) {
      const mount = containerOf(pod).volumeMounts?.find(({ name }) => name === 'jwt-keys');
      expect(containerEnv.configMap.JWT_KEYS_FILE).toBe(`${mount?.mountPath ?? ''}/jwt-keys.json`);
    }
  });

  it('let the service end before it is killed', () => {
    for (const pod of [pods.service, pods.console]) {
      const { terminationGracePeriodSeconds = 0 } = pod.spec;
      const preStop = Number(containerOf(pod).lifecycle?.preStop?.exec?.command?.[1]);
      expect(terminationGracePeriodSeconds).toBeGreaterThan(
        preStop + Number(containerEnv.configMap.SHUTDOWN_GRACE_SECONDS),
      );
    }
  });

  it('select the pods that they are about', () => {
    const { labels } = pods.service.metadata;
    const selectors = [
      findManifest('Deployment').spec.selector.matchLabels,
      findManifest('Service').spec.selector,
      findManifest('PodDisruptionBudget').spec.selector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    const console = 'consumer-service-console';
    const selectorsOfConsole = [
      findManifest('Deployment', console).spec.selector.matchLabels,
      findManifest('Service', console).spec.selector,
      findManifest('NetworkPolicy', console).spec.podSelector.matchLabels,
    ];
    for (const selector of selectorsOfConsole) expect(selector).toEqual(pods.console.metadata.labels);
    expect(pods.console.metadata.labels).not.toEqual(labels);
    // A Service must not send requests to the migration, and the network policy must hold for both.
    expect(pods.migration.metadata.labels).not.toEqual(labels);
    const { matchLabels } = findManifest('NetworkPolicy').spec.podSelector;
    for (const pod of Object.values(pods)) expect(pod.metadata.labels).toMatchObject(matchLabels);
  });
});
