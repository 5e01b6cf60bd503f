import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

describe('what is bundled', () => {
  it('is named in NOTICE', () => {
    const list = /BUNDLED = \[([^\]]*)\]/.exec(read('build.mjs'))?.[1] ?? '';
    const names = [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
    const section = /Packages whose code is in dist\/\n-+\n([\s\S]*?)\n\n/.exec(read('NOTICE'))?.[1] ?? '';
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !section.split(/[\s,]+/).includes(name))).toEqual([]);
  });

  it('is none of it loaded by a plan that has nothing to do', async () => {
    const { metafile } = await build({
      entryPoints: [join(ROOT, 'src/cli/main.ts')],
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
      metafile: true,
      outdir: 'dist',
      external: ['./run.ts', './plan/plain-plan.ts'],
    });
    const loaded = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
    );
    expect(loaded.filter((path) => !path.startsWith('node:'))).toEqual([]);
  });
});
