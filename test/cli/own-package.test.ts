import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dependsOnReelform, ownPackages, packageRoot, packageTexts } from '../../src/cli/own-package.ts';
import { temporaryRepository } from '../support/temporary-repository.ts';

const INTEGRITY = 'sha512-abc';
const REGISTRY = 'https://registry.npmjs.org/reelform/-/reelform-0.1.0.tgz';
const VENDORED = 'file:vendor/reelform-0.1.0.tgz';

/** Returns a clone of this repository in the place where npm would install it, so that packing works as in practice. */
const installedAs = (entry: object | null): string =>
  join(
    temporaryRepository({
      'node_modules/reelform/package.json': '{"name": "reelform", "version": "0.1.0"}',
      ...(entry !== null && {
        'node_modules/.package-lock.json': JSON.stringify({ packages: { 'node_modules/reelform': entry } }),
      }),
    }),
    'node_modules/reelform',
  );

describe('ownPackages()', () => {
  it.each([
    ['a registry', { resolved: REGISTRY, integrity: INTEGRITY }, '0.1.0'],
    ['a registry whose address npm omits', { integrity: INTEGRITY }, '0.1.0'],
    ['a tarball', { resolved: 'file:../../reelform-0.1.0.tgz', integrity: INTEGRITY }, VENDORED],
    ['a tarball at a URL', { resolved: 'https://example.com/reelform-0.1.0.tgz', integrity: INTEGRITY }, VENDORED],
    ['a revision of git', { resolved: 'git+ssh://git@example.com/reelform.git#abc' }, VENDORED],
    ['a linked folder', { resolved: '../reelform', link: true }, VENDORED],
    ['nothing that npm recorded', null, VENDORED],
  ])('installed from %s: %j becomes %s', async (_, entry, specifier) => {
    const [own] = await ownPackages(installedAs(entry));
    expect(own!.specifier).toBe(specifier);
    expect(own!.tarball?.path).toBe(specifier === VENDORED ? 'vendor/reelform-0.1.0.tgz' : undefined);
  });

  it('returns tarballs of reelform and its engine, with their integrity, for a clone', async () => {
    const packages = await ownPackages(packageRoot());
    expect(packages.map(({ name, specifier }) => [name, specifier])).toEqual([
      ['reelform', VENDORED],
      ['@reelform/engine', 'file:vendor/reelform-engine-0.1.0.tgz'],
    ]);
    for (const { tarball, integrity } of packages) {
      expect(integrity).toBe(`sha512-${createHash('sha512').update(tarball!.content).digest('base64')}`);
    }
  });

  it('returns reelform alone for a tarball that was installed without its engine', async () => {
    const packages = await ownPackages(installedAs(null));
    expect(packages.map(({ name }) => name)).toEqual(['reelform']);
  });

  it('finds the integrity of both packages of a registry', async () => {
    const root = temporaryRepository({
      'node_modules/reelform/package.json': '{"name": "reelform", "version": "0.1.0"}',
      'node_modules/@reelform/engine/package.json': '{"name": "@reelform/engine", "version": "0.1.0"}',
      'node_modules/.package-lock.json': JSON.stringify({
        packages: {
          'node_modules/reelform': { resolved: REGISTRY, integrity: INTEGRITY },
          'node_modules/@reelform/engine': {
            resolved: 'https://registry.npmjs.org/@reelform/engine/-/engine-0.1.0.tgz',
            integrity: 'sha512-def',
          },
        },
      }),
    });
    const packages = await ownPackages(join(root, 'node_modules/reelform'));
    expect(packages.map(({ integrity, tarball }) => [integrity, tarball])).toEqual([
      [INTEGRITY, null],
      ['sha512-def', null],
    ]);
  });
});

describe('packageTexts()', () => {
  const fromRegistry = { specifier: '0.1.0', integrity: INTEGRITY, tarball: null };

  it('locks reelform, its engine, and all dependencies of the engine and nothing else', () => {
    const { manifest, lock } = packageTexts([
      { name: 'reelform', ...fromRegistry },
      { name: '@reelform/engine', ...fromRegistry },
    ]);
    const { packages } = JSON.parse(lock) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; dependencies?: object }>;
    };
    expect(JSON.parse(manifest)).toMatchObject({ dependencies: { reelform: '0.1.0' } });
    expect(packages['']).toEqual({ dependencies: { reelform: '0.1.0' } });
    expect(packages['node_modules/reelform']).toMatchObject({
      version: '0.1.0',
      integrity: INTEGRITY,
      optionalDependencies: { '@reelform/engine': '0.1.0' },
    });
    const engine = packages['node_modules/@reelform/engine']!;
    expect(engine).toMatchObject({ version: '0.1.0', integrity: INTEGRITY, optional: true });
    const { dependencies } = JSON.parse(readFileSync(join(packageRoot(), 'packages/engine/package.json'), 'utf8')) as {
      dependencies: object;
    };
    expect(engine.dependencies).toEqual(dependencies);
    const locked = Object.keys(packages);
    expect(Object.keys(dependencies).filter((name) => !locked.includes(`node_modules/${name}`))).toEqual([]);
    expect(locked.filter((path) => /node_modules\/(?:fastify|vitest|yaml|@aws-sdk)/.test(path))).toEqual([]);
    const rest = Object.entries(packages).filter(([path]) => path !== '' && path !== 'node_modules/reelform');
    expect(rest.filter(([, { dev, optional }]) => dev === true || optional !== true)).toEqual([]);
  });

  it('depends on both tarballs, and on that of the engine optionally', () => {
    const tarball = (name: string) => ({ path: `vendor/${name}.tgz`, content: new Uint8Array() });
    const { manifest } = packageTexts([
      { name: 'reelform', specifier: 'file:vendor/r.tgz', integrity: 'sha512-r', tarball: tarball('r') },
      { name: '@reelform/engine', specifier: 'file:vendor/e.tgz', integrity: 'sha512-e', tarball: tarball('e') },
    ]);
    expect(JSON.parse(manifest)).toMatchObject({
      dependencies: { reelform: 'file:vendor/r.tgz' },
      optionalDependencies: { '@reelform/engine': 'file:vendor/e.tgz' },
    });
  });
});

describe('dependsOnReelform()', () => {
  it.each([
    ['{"dependencies": {"reelform": "1"}}', true],
    ['{"devDependencies": {"reelform": "1"}}', true],
    ['{"devDependencies": {"reelform-x": "1"}}', false],
    ['{}', false],
    ['null', false],
    ['not JSON', false],
  ])('%s: %s', (manifest, expected) => {
    expect(dependsOnReelform(manifest)).toBe(expected);
  });
});
