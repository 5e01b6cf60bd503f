import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';

/** The command, and the programs that it starts. */
const PROGRAMS = ['cli/main', 'service/sessions/processes/render-process', 'engine/threads/raster-worker'];

/**
 * Returns the source files whose code the command runs while it applies one video with the embedded service: from its
 * definition to the request for a render process, and from the finished MP4 to the lockfile. Files that only declare types or
 * constants do not count, and neither does the engine: render processes are killed when they are idle, and then report nothing.
 */
export async function tripFiles(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'reelform-trip-'));
  const [program, repository, coverage] = ['program', 'repository', 'coverage'].map((name) => join(folder, name));
  try {
    await bundleProgram(program!);
    await mkdir(repository!);
    const main = join(program!, 'dist/cli/main.js');
    const run = (args: readonly string[], env: Record<string, string> = {}): Promise<unknown> =>
      execa(process.execPath, [main, '-C', repository!, ...args], { env });
    await run(['init', '--yes', '--service', 'embedded']);
    await run(['apply', '--auto-approve', '--no-lint'], { NODE_V8_COVERAGE: coverage! });
    return await executedFiles(coverage!);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bundles the programs without minifying them, so that each module keeps the comment with its path. */
async function bundleProgram(folder: string): Promise<void> {
  await build({
    entryPoints: PROGRAMS.map((name) => ({ in: `src/${name}.ts`, out: name })),
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    define: { REELFORM_BUILD: '"trip"' },
    logLevel: 'error',
  });
  // The build writes CommonJS, which has no shared files here.
  for (const name of PROGRAMS.slice(1)) {
    await writeFile(join(folder, 'dist', `${name}.cjs`), `import('./${basename(name)}.js');\n`);
  }
  for (const name of ['service/sandbox', 'template', 'locked-packages.json']) {
    await cp(join('dist', name), join(folder, 'dist', name), { recursive: true });
  }
  for (const name of ['package.json', 'node_modules', 'starter', 'templates', 'schemas', 'src']) {
    await symlink(resolve(name), join(folder, name));
  }
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

async function executedFiles(coverage: string): Promise<string[]> {
  const executed = new Set<string>();
  for (const report of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, report), 'utf8')) as { result: ScriptCoverage[] };
    for (const { url, functions } of result.filter(({ url }) => url.includes('/program/dist/'))) {
      const text = await readFile(fileURLToPath(url), 'utf8');
      const modules = [...text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm)];
      // The first function is the module itself.
      for (const { ranges } of functions.slice(1)) {
        const [{ startOffset, count }] = ranges as [{ startOffset: number; count: number }];
        const own = count > 0 ? modules.findLast(({ index }) => index < startOffset) : undefined;
        if (own !== undefined) executed.add(own[1]!);
      }
    }
  }
  return [...executed].sort();
}
