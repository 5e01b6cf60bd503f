import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import fg from 'fast-glob';
import { figuresTable, type TreeFigures, treeFigures } from './tree-figures.ts';

/**
 * Prints sizes and coupling of the sources, now and at other commits: `npm run house -- [--json] [--tree folder…] [commit…]`.
 * With `--tree`, it also measures the sources in another project's folder. With `--trip`, it prints the source files that
 * the way of one video from its definition to the lockfile passes; needs a build.
 */
const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    trip: { type: 'boolean' },
    tree: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
});
if (values.trip === true) {
  const { tripFiles } = await import('./trip.ts');
  const files = await tripFiles();
  console.log([...files, `${files.length} files`].join('\n'));
  process.exit();
}

const trees: { name: string; figures: TreeFigures }[] = [];
for (const commit of positionals) trees.push({ name: commit, figures: await figuresAt(commit) });
for (const folder of values.tree) trees.push({ name: folder, figures: treeFigures(await readSources(folder)) });
trees.push({ name: 'working tree', figures: treeFigures(await readTree('.')) });

console.log(
  values.json
    ? JSON.stringify(Object.fromEntries(trees.map(({ name, figures }) => [name, figures])), null, 2)
    : figuresTable(trees),
);

async function figuresAt(commit: string): Promise<TreeFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'reelform-house-'));
  try {
    await execa('git', ['archive', `--output=${join(folder, 'tree.tar')}`, commit, 'src', 'test']);
    await execa('tar', ['-xf', 'tree.tar'], { cwd: folder });
    return treeFigures(await readTree(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the sources of another project as if they lay in `src/`, without its tests and declarations. */
async function readSources(folder: string): Promise<Map<string, string>> {
  const ignore = ['**/node_modules/**', '**/*test*/**', '**/*_test.go', '**/*.{test,spec}.*', '**/*.d.ts'];
  const paths = await fg(['**/*.{ts,js,go}'], { cwd: folder, ignore });
  return new Map(
    await Promise.all(
      paths.sort().map(async (path) => [`src/${path}`, await readFile(join(folder, path), 'utf8')] as const),
    ),
  );
}

async function readTree(root: string): Promise<Map<string, string>> {
  const paths = await fg(['src/**/*.ts', 'test/**/*.ts'], { cwd: root });
  return new Map(
    await Promise.all(paths.sort().map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
  );
}
