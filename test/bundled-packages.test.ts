import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

describe('bundled packages', () => {
  it('are named in NOTICE', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: object };
    // The build lists all packages whose code is in dist/, also those that the bundled ones import.
    const titles = [...read('dist/LICENSES.txt').matchAll(/^(\S+) \d\S* \(.*\)$/gm)].map(([, name]) => name!);
    const names = titles.filter((name) => name in devDependencies);
    const section = /Packages whose code is in dist\/\n-+\n([\s\S]*?)\n\n/.exec(read('NOTICE'))?.[1] ?? '';
    expect(names).toContain('yaml');
    expect(names.filter((name) => !section.split(/[\s,]+/).includes(name))).toEqual([]);
  });

  it('are all that dist/ imports, except those that `imports` of package.json finds', async () => {
    const entries = ['cli/main', 'index', 'service/sessions/processes/render-process', 'engine/raster/raster-worker'];
    const { metafile } = await build({
      entryPoints: entries.map((entry) => join(ROOT, `dist/${entry}.js`)),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      external: ['#engine/*', '#server/*'],
      write: false,
      metafile: true,
      outdir: 'x',
    });
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    const packages = imported.filter((id) => /^[@a-z]/.test(id) && !id.startsWith('dist/') && !isBuiltin(id));
    // The proxy agents work without Kerberos.
    expect([...new Set(packages)].sort()).toEqual(['@azure/storage-blob', 'kerberos']);
    expect(imported).toContain('#engine/@napi-rs/canvas');
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
