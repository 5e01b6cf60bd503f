import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';

// dist/ is what npm publishes and what `npx reelform` runs; shared code becomes chunks, so that each command loads its own.

// What planning loads is in there, too: a hundred files of an installed package cost as many milliseconds. NOTICE names it.
const BUNDLED = [
  '@babel/code-frame',
  'ajv',
  'commander',
  'csv-parse',
  'diff',
  'execa',
  'fast-glob',
  'get-east-asian-width',
  'picocolors',
  'picomatch',
  'yaml',
];
// What a plan loads only where it is asked for more, or is at work for long anyway. Errors of theirs are known by their names:
// these chunks have classes of their own.
const LATE = [
  'cli/drift/drift-command.ts',
  'cli/drift/run-refresh.ts',
  'cli/lint/lint-videos.ts',
  'cli/preview/look-at-plan.ts',
  'git/changed-files.ts',
  'git/former-entries.ts',
  'git/history-cache.ts',
  'git/git-journal.ts',
  'project/load-project.ts',
  'report/plan-markdown.ts',
  'report/preview-text.ts',
];
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
  (name) => !BUNDLED.includes(name),
);
const options = {
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: installed.flatMap((name) => [name, `${name}/*`]),
  define: { REELFORM_BUILD: JSON.stringify(digestOf(['src', 'schemas', 'package.json'])) },
  logLevel: 'warning',
};
await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...options,
  metafile: true,
  // Packages in CommonJS ask for Node's own modules at run time.
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(import.meta.url);",
  },
  entryPoints: [
    'index.ts',
    'cli/run.ts',
    'session/processes/render-process.ts',
    'engine/raster/raster-worker.ts',
    'engine/writers/gif-worker.ts',
    'engine/lint/lint-worker.ts',
    ...LATE,
  ].map((file) => ({ in: join('src', file), out: outOf(file) })),
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
});
// One file: what a plan with nothing to do needs, and one beside it for what any other plain plan needs. Each module more would
// cost it a millisecond, and a module that is none of CommonJS eight: Node prepares more for it.
const short = { ...options, format: 'cjs', minifyWhitespace: true, minifySyntax: true };
await build({ ...short, entryPoints: ['src/cli/main.ts'], plugins: [{ name: 'beside', setup: leaveOthersBeside }] });
const { metafile: planFile } = await build({
  ...short,
  metafile: true,
  outbase: 'src/cli/plan',
  outdir: 'dist/cli',
  entryPoints: { plan: 'src/cli/plan/plain-plan.ts' },
  plugins: [{ name: 'late', setup: leaveLateToChunks }],
});
const beside = planFile.outputs['dist/cli/plan.js'].imports.map(({ path }) => path).filter((path) => !isBuiltin(path));
const unexpected = beside.filter((path) => !path.startsWith('../late/'));
// A package that is none of CommonJS could not even be loaded from there.
if (unexpected.length > 0) throw new Error(`dist/cli/plan.js is not one file: ${unexpected.join(', ')}`);
// Runs before the event loop of its process, which a module cannot: see the file.
await build({
  ...options,
  format: 'cjs',
  entryPoints: ['src/sandbox/landlock-launcher.ts'],
  outExtension: { '.js': '.cjs' },
});
await writeFile('dist/cli/package.json', '{"type":"commonjs"}\n');
await writeFile('dist/locked-packages.json', JSON.stringify(lockedPackages()));
await writeFile('dist/LICENSES.txt', licencesOf(Object.keys(metafile.inputs)));
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});

// In this repository `npx reelform` is the program itself, and not a copy of it that npx would keep in its cache.
const command = 'node_modules/.bin/reelform';
await rm(command, { force: true });
if (process.platform !== 'win32') await symlink('../../dist/cli/main.js', command);

/** What package-lock.json says of the packages that reelform needs at run time: `reelform init` locks them in new repositories. */
function lockedPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.fromEntries(Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev));
}

function leaveOthersBeside({ onResolve, onLoad }) {
  onResolve({ filter: /^\.\/run\.ts$/ }, () => ({ path: '../run.js', external: true }));
  // `import()` would start the loader of modules for a file of CommonJS, too.
  onResolve({ filter: /\/plain-plan\.ts$/ }, () => ({ path: './plan.js', namespace: 'required' }));
  onResolve({ filter: /^\.\/plan\.js$/ }, () => ({ path: './plan.js', external: true }));
  onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({ contents: `module.exports = require('${path}');` }));
}

function leaveLateToChunks({ onResolve }) {
  onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path, resolveDir }) => {
    const file = relative('src', join(resolveDir, path));
    return kind === 'dynamic-import' && LATE.includes(file)
      ? { path: `../${outOf(file)}.js`, external: true }
      : undefined;
  });
}

/** Where a file of src/ comes to lie that others load by its name. What is below dist/cli/ is CommonJS. */
function outOf(file) {
  const name = file.slice(0, -'.ts'.length);
  return LATE.includes(file) ? `late/${basename(name)}` : name.replace(/^cli\//, '');
}

/** Of the files that the program is built from: what one build remembers no other one believes. */
function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const names = path.includes('.') ? [path] : readdirSync(path, { recursive: true }).map((name) => join(path, name));
    for (const name of names.filter((one) => /\.(?:ts|json)$/.test(one)).sort())
      hash.update(name).update(readFileSync(name));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The licence texts of all packages that these files belong to. */
function licencesOf(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${name} has no licence text`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `What is in these files besides Reelform.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
