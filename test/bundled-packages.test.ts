import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

describe('bundled packages', () => {
  it('are named in NOTICE', () => {
    const list = /BUNDLED = \[([^\]]*)\]/.exec(read('build.mjs'))?.[1] ?? '';
    const names = [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
    const section = /Packages whose code is in dist\/\n-+\n([\s\S]*?)\n\n/.exec(read('NOTICE'))?.[1] ?? '';
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !section.split(/[\s,]+/).includes(name))).toEqual([]);
  });

  it('are not loaded by a plan without changes, except the command-line parser', async () => {
    const { metafile } = await build({
      entryPoints: [join(ROOT, 'src/cli/main.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
      metafile: true,
      outdir: 'dist',
    });
    const packages = new Set<string>();
    const visited = new Set<string>();
    const visit = (output: string): void => {
      if (visited.has(output)) return;
      visited.add(output);
      for (const { path, kind, external } of metafile.outputs[output]!.imports) {
        if (kind !== 'import-statement') continue;
        if (external !== true) visit(path);
        else if (!path.startsWith('node:')) packages.add(path);
      }
    };
    visit('dist/main.js');
    expect([...packages]).toEqual(['commander']);
  });
});
