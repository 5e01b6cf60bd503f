import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dependsOnReelform, ownPackage, packageRoot, packageTexts } from '../../src/cli/own-package.ts';
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

describe('ownPackage()', () => {
  it.each([
    ['a registry', { resolved: REGISTRY, integrity: INTEGRITY }, '0.1.0'],
    ['a registry whose address npm omits', { integrity: INTEGRITY }, '0.1.0'],
    ['a tarball', { resolved: 'file:../../reelform-0.1.0.tgz', integrity: INTEGRITY }, VENDORED],
    ['a tarball at a URL', { resolved: 'https://example.com/reelform-0.1.0.tgz', integrity: INTEGRITY }, VENDORED],
    ['a revision of git', { resolved: 'git+ssh://git@example.com/reelform.git#abc' }, VENDORED],
    ['a linked folder', { resolved: '../reelform', link: true }, VENDORED],
    ['nothing that npm recorded', null, VENDORED],
  ])('installed from %s: %j becomes %s', async (_, entry, specifier) => {
    const own = await ownPackage(installedAs(entry));
    expect(own.specifier).toBe(specifier);
    expect(own.tarball?.path).toBe(specifier === VENDORED ? 'vendor/reelform-0.1.0.tgz' : undefined);
  });

  it('returns a tarball with its integrity for a clone', async () => {
    const { tarball, integrity } = await ownPackage(packageRoot());
    expect(integrity).toBe(`sha512-${createHash('sha512').update(tarball!.content).digest('base64')}`);
  });
});

describe('packageTexts()', () => {
  it('locks every runtime dependency of reelform and nothing else', () => {
    const { lock } = packageTexts({ specifier: '0.1.0', integrity: INTEGRITY, tarball: null });
    const { packages } = JSON.parse(lock) as { packages: Record<string, { dev?: boolean; dependencies?: object }> };
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
      dependencies: object;
      devDependencies: object;
    };
    const has = (name: string): boolean => `node_modules/${name}` in packages;
    expect(packages['']).toEqual({ dependencies: { reelform: '0.1.0' } });
    expect(packages['node_modules/reelform']).toMatchObject({ version: '0.1.0', integrity: INTEGRITY, dependencies });
    expect(Object.keys(dependencies).filter((name) => !has(name))).toEqual([]);
    expect(Object.values(packages).filter(({ dev }) => dev)).toEqual([]);
    expect(has('vitest') && 'vitest' in devDependencies).toBe(false);
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
