import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { deployFile, ROOT, unknownVariables, yamlDocuments } from './deploy-files.ts';

const FILES = readdirSync(join(ROOT, 'deploy/kubernetes')).filter((name) => name !== 'kustomization.yaml');
const KINDS = {
  'apps/v1 Deployment': [Deployment, 'kubernetes-models/apps/v1'],
  'networking.k8s.io/v1 NetworkPolicy': [NetworkPolicy, 'kubernetes-models/networking.k8s.io/v1'],
  'policy/v1 PodDisruptionBudget': [PodDisruptionBudget, 'kubernetes-models/policy/v1'],
  'v1 ConfigMap': [ConfigMap, 'kubernetes-models/v1'],
  'v1 Namespace': [Namespace, 'kubernetes-models/v1'],
  'v1 Service': [Service, 'kubernetes-models/v1'],
  'v1 ServiceAccount': [ServiceAccount, 'kubernetes-models/v1'],
  'keda.sh/v1alpha1 ScaledObject': [ScaledObject, '@kubernetes-models/keda/keda.sh/v1alpha1'],
  'keda.sh/v1alpha1 TriggerAuthentication': [TriggerAuthentication, '@kubernetes-models/keda/keda.sh/v1alpha1'],
} as const;

interface Container {
  readonly args: string[];
  readonly env: { name: string; value: string }[];
  readonly securityContext: object;
  readonly volumeMounts: { name: string; mountPath: string }[];
}

interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec?: {
    readonly selector: { matchLabels: object };
    readonly template: {
      metadata: { labels: object };
      spec: { containers: [Container]; volumes: { name: string }[]; terminationGracePeriodSeconds: number };
    };
  };
}

const MANIFESTS = FILES.flatMap((name) =>
  yamlDocuments(`kubernetes/${name}`).map((document) => ({ ...document, file: name }) as unknown as Manifest),
);
const DEPLOYMENTS = MANIFESTS.filter(({ kind }) => kind === 'Deployment');

function kindOf({ apiVersion, kind }: Manifest): (typeof KINDS)[keyof typeof KINDS] {
  const found = KINDS[`${apiVersion} ${kind}` as keyof typeof KINDS];
  if (found === undefined) throw new Error(`nothing checks ${apiVersion} ${kind}`);
  return found;
}

describe('deploy/kubernetes', () => {
  it.each(MANIFESTS.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s passes API validation',
    (_, manifest) => {
      const [Model] = kindOf(manifest);
      const { file: _file, ...value } = manifest;
      expect(() => new Model(value as never).validate()).not.toThrow();
    },
  );

  it('has no field unknown to the API', () => {
    // The models ignore unknown fields; the compiler rejects them in an object literal.
    const lines = MANIFESTS.map((manifest, index) => {
      const { file: _file, ...value } = manifest;
      const [{ name }, module] = kindOf(manifest);
      return `export const m${index}: import('${module}').I${name} = ${JSON.stringify(value)};`;
    });
    const cache = join(ROOT, 'node_modules/.cache');
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'manifests-'));
    try {
      writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const flags = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'esnext'];
      const bundler = ['--moduleResolution', 'bundler', '--ignoreConfig'];
      execFileSync(process.execPath, [tsc, ...flags, ...bundler, join(folder, 'manifests.ts')], { encoding: 'utf8' });
    } catch (error) {
      throw new Error((error as { stdout?: string }).stdout ?? String(error));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lists every manifest in kustomization.yaml except those applied separately', () => {
    const [{ resources }] = yamlDocuments('kubernetes/kustomization.yaml') as [{ resources: string[] }];
    expect([...resources, 'keda.yaml'].sort()).toEqual([...FILES].sort());
  });

  it.each(DEPLOYMENTS.map((one) => [one.metadata.name, one] as const))(
    '%s selects its own pods, mounts only its volumes and has known settings',
    (_, { spec }) => {
      const { template, selector } = spec!;
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const [container] = template.spec.containers;
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map(({ name }) => name)).toEqual(template.spec.volumes.map(({ name }) => name));
      const config = MANIFESTS.find(({ kind }) => kind === 'ConfigMap')!.data!;
      expect(config.REELFORM_SANDBOX).toBe('required');
      for (const volume of template.spec.volumes) expect(volume).toHaveProperty('emptyDir.sizeLimit');
      expect(unknownVariables([...Object.keys(config), ...container.env.map(({ name }) => name)])).toEqual([]);
      const drain = Number(container.env.find(({ name }) => name === 'REELFORM_DRAIN_SECONDS')?.value ?? 30);
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain);
    },
  );

  it('probes paths that the service serves', () => {
    const paths = FILES.flatMap((name) => [...deployFile(`kubernetes/${name}`).matchAll(/path: (\/\w+)/g)]);
    expect(new Set(paths.map((match) => match[1]))).toEqual(new Set(['/healthz', '/readyz']));
  });
});
