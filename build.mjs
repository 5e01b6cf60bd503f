import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

// dist/ is what npm publishes and what `npx reelform` runs; shared code becomes chunks, so that each command loads its own.
const options = {
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  define: { REELFORM_BUILD: JSON.stringify(digestOf(['src', 'schemas', 'package.json'])) },
  logLevel: 'warning',
};
await rm('dist', { recursive: true, force: true });
await build({
  ...options,
  entryPoints: [
    'src/index.ts',
    'src/cli/run.ts',
    'src/engine/render-process.ts',
    'src/engine/raster-worker.ts',
    'src/engine/still-worker.ts',
    'src/server/templates/package-worker.ts',
  ],
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
});
// One file: what a plan with nothing to do needs. Each module more would cost it a millisecond.
await build({ ...options, entryPoints: ['src/cli/main.ts'], plugins: [{ name: 'run', setup: leaveRunOut }] });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});

// In this repository `npx reelform` is the program itself, and not a copy of it that npx would keep in its cache.
const command = 'node_modules/.bin/reelform';
await rm(command, { force: true });
if (process.platform !== 'win32') await symlink('../../dist/cli/main.js', command);

function leaveRunOut({ onResolve }) {
  onResolve({ filter: /^\.\/run\.ts$/ }, () => ({ path: './run.js', external: true }));
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
