import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns what built files import. */
function bundled(files: readonly string[]) {
  return build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
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
}

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, path) => sum + read(path).length, 0);
}

/** Returns a built file of a program with those that it loads at once, and packages. */
function loadedBy(file: string): Set<string> {
  const loaded = new Set([file]);
  for (const path of loaded) {
    if (path.startsWith('#')) continue;
    // What is loaded on demand follows an arrow.
    for (const [, id] of read(path).matchAll(/(?<!=>)\brequire\("([^"]+)"\)/g)) {
      if (!isBuiltin(id!)) loaded.add(id!.startsWith('.') ? join(dirname(path), id!) : id!);
    }
  }
  return loaded;
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
    const programs = ['service/sessions/processes/render-process.cjs', 'engine/threads/raster-worker.cjs'];
    const { metafile } = await bundled(['cli/main.js', 'index.js', ...programs].map((entry) => `dist/${entry}`));
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    const packages = imported.filter((id) => /^[@a-z]/.test(id) && !id.startsWith('dist/') && !isBuiltin(id));
    // The proxy agents work without Kerberos.
    expect([...new Set(packages)].sort()).toEqual(['@azure/storage-blob', 'kerberos']);
    expect(imported).toContain('#engine/@napi-rs/canvas');
  });

  it('of the engine and the server are loaded by no command before it needs them', async () => {
    const start = readdirSync(join(ROOT, 'dist/chunks')).find((name) => /^start-[\w-]{8}\.js$/.test(name))!;
    const { metafile } = await bundled(['dist/cli/main.js']);
    // The commands.
    const imported = metafile.inputs[`dist/chunks/${start}`]!.imports.filter(({ kind }) => kind === 'dynamic-import');
    const light = imported.filter(({ path }) => !/\/(?:serve|token)-command/.test(path));
    const loaded = new Set(['dist/cli/main.js', `dist/chunks/${start}`, ...light.map(({ path }) => path)]);
    for (const input of loaded) {
      for (const { path, kind } of metafile.inputs[input]?.imports ?? [])
        if (kind !== 'dynamic-import') loaded.add(path);
    }
    expect(light.length).toBeGreaterThan(20);
    expect([...loaded].filter((path) => path.startsWith('#'))).toEqual([]);
  });

  it.each([
    // Without what its threads and most tasks load.
    ['service/sessions/processes/render-process', [], 40_000],
    // Without the parser of YAML and the readers of media, which are half a megabyte.
    ['engine/threads/raster-worker', ['#engine/@napi-rs/canvas'], 210_000],
  ] as const)('are loaded by %s only when a task needs them, from at most five files', (entry, packages, size) => {
    const loaded = loadedBy(`dist/${entry}.cjs`);
    const [files, external] = [
      [...loaded].filter((path) => !path.startsWith('#')),
      [...loaded].filter((path) => path.startsWith('#')),
    ];
    expect(external).toEqual(packages);
    expect(files.length).toBeLessThanOrEqual(5);
    expect(sizeOf(files)).toBeLessThan(size);
  });

  it('that read media are not loaded by lint, which most videos need without them', () => {
    const lint = readdirSync(join(ROOT, 'dist/chunks/programs')).find((name) => /^lint-[\w-]{8}\.cjs$/.test(name))!;
    const files = [...loadedBy(`dist/chunks/programs/${lint}`)].filter((path) => !path.startsWith('#'));
    expect(sizeOf(files)).toBeLessThan(320_000);
  });

  it('are not loaded by a plan without changes, except the command-line parser and five kilobytes of Unicode data', async () => {
    const { metafile } = await build({
      // What the program loads at once.
      entryPoints: ['main', 'io', 'run'].map((name) => join(ROOT, `src/cli/${name}.ts`)),
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
    for (const name of ['main', 'io', 'run']) visit(`dist/${name}.js`);
    expect([...packages]).toEqual(['commander', 'unicode-segmenter/grapheme']);
  });
});

describe('published packages', () => {
  it.each([
    ['reelform', 'packages/reelform', {}],
    ['@reelform/engine', 'packages/engine', JSON.parse(read('dist/locked-packages.json'))],
    ['@reelform/server', 'packages/server', runTimePackages()],
  ] as [string, string, LockedPackages][])(
    '%s asks for a Node that all its dependencies accept',
    (_, folder, locked) => {
      const { engines } = JSON.parse(read(`${folder}/package.json`)) as { engines: { node: string } };
      const own = lowestNode(engines.node);
      const newer = Object.entries(locked).filter(([, { engines: asked }]) => lowestNode(asked?.node ?? '') > own);
      expect(newer.map(([path]) => path)).toEqual([]);
    },
  );

  it('bring all run-time dependencies of package.json, with their versions', () => {
    const root = JSON.parse(read('package.json')) as Dependencies;
    const all = ['engine', 'server'].map((name) => JSON.parse(read(`packages/${name}/package.json`)) as Dependencies);
    expect(Object.assign({}, ...all.map(({ dependencies }) => dependencies))).toEqual(root.dependencies);
    expect(Object.assign({}, ...all.map(({ optionalDependencies }) => optionalDependencies))).toEqual(
      root.optionalDependencies,
    );
  });
});

type LockedPackages = Readonly<
  Record<string, { readonly dev?: boolean; readonly engines?: { readonly node?: string } }>
>;

interface Dependencies {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
}

/** All packages that a checkout needs at run time. */
function runTimePackages(): LockedPackages {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: LockedPackages };
  return Object.fromEntries(Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true));
}

/** The lowest version in a range such as `18 || 20 || >=22.12`, as 22.12 → 22012. */
function lowestNode(range: string): number {
  const versions = [...range.matchAll(/(\d+)(?:\.(\d+))?[\d.]*/g)];
  return versions.length === 0
    ? 0
    : Math.min(...versions.map(([, major, minor]) => Number(major) * 1000 + Number(minor ?? 0)));
}
