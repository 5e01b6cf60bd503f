import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  'fastest-levenshtein',
  'get-east-asian-width',
  'picocolors',
  'picomatch',
  'yaml',
];
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !BUNDLED.includes(name));
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
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  entryPoints: [
    'src/index.ts',
    'src/cli/run.ts',
    'src/engine/render-process.ts',
    'src/engine/raster/raster-worker.ts',
    'src/engine/writers/gif-worker.ts',
    'src/engine/stills/still-worker.ts',
    'src/engine/lint/lint-worker.ts',
    'src/server/templates/package-worker.ts',
    'src/session/sources/source-worker.ts',
  ].map((path) => ({ in: path, out: path === 'src/cli/run.ts' ? 'run' : path.slice('src/'.length, -'.ts'.length) })),
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
});
// One file: what a plan with nothing to do needs. Each module more would cost it a millisecond, and a module that is none of
// CommonJS eight: Node prepares more for it.
const plugins = [{ name: 'run', setup: leaveRunOut }];
await build({ ...options, entryPoints: ['src/cli/main.ts'], format: 'cjs', plugins });
await writeFile('dist/cli/package.json', '{"type":"commonjs"}\n');
await writeFile('dist/LICENSES.txt', licencesOf(Object.keys(metafile.inputs)));
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});

// In this repository `npx reelform` is the program itself, and not a copy of it that npx would keep in its cache.
const command = 'node_modules/.bin/reelform';
await rm(command, { force: true });
if (process.platform !== 'win32') await symlink('../../dist/cli/main.js', command);

function leaveRunOut({ onResolve }) {
  onResolve({ filter: /^\.\/run\.ts$/ }, () => ({ path: '../run.js', external: true }));
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
